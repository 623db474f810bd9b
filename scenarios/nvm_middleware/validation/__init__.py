"""The validation of the twin of the NVM middleware: the real one as measured side, its tables, figures and step."""
