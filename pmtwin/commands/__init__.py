"""The subcommands of `pmtwin`, one module each (`pmtwin.config.summaries` names them)."""
