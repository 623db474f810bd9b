"""The subcommands of `pmtwin`, one module each."""
