"""The report of `pmtwin run`: one HTML file that needs nothing else, neither files nor network."""

from pmtwin.report.page import write_report

__all__ = ["write_report"]
