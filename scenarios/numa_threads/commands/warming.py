"""Small commands for `pmtwin warm`, which compile the machine and the policies of the page's first command."""

_POLICIES = "none rule linucb fixed:48,12,0"

CASES = {
    "evaluate": (f"evaluate numa-threads --workloads mixed-50 --policies {_POLICIES} --steps 2 --seeds 1 --jobs 1",)
}
FILES: dict[str, str] = {}
