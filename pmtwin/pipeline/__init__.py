"""The pipeline from calibration to report as cached steps, so that an interrupted run can be resumed."""
