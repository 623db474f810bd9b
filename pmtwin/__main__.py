"""`python -m pmtwin`: the command `pmtwin`."""

import sys

from pmtwin.cli import main

if __name__ == "__main__":
    sys.exit(main())
