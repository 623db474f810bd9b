"""Small commands for `pmtwin warm`, which compile the storage and the policies of the page's first command."""

_POLICIES = "write-lru lru-clean slow-only fast-only"
_SMALL = "--length 200 --requests-per-window 50 --seeds 1 --jobs 1"

CASES = {"evaluate": (f"evaluate hybrid-storage --workloads LUN4 --policies {_POLICIES} {_SMALL}",)}
FILES: dict[str, str] = {}
