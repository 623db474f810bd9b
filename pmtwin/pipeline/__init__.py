"""The loop from calibration to report as steps that are cached, so that an interrupted run goes on where it was."""
