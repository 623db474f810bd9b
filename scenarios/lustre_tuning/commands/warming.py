"""Small commands for `pmtwin warm`, which compile all code that this scenario's commands use."""

CASES = {
    "simulate": ("simulate lustre-tuning --workload random-1-9 --limits 8,0 --fill-s 1 --windows 2",),
    "evaluate": (
        "evaluate lustre-tuning --workloads random-1-9 --policies fixed:8,0 --fill-s 1 --seeds 1 --steps 2 --jobs 1",
    ),
}
FILES: dict[str, str] = {}
