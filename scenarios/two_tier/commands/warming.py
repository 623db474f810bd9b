"""Small commands for `pmtwin warm`, which compile all code that this scenario's commands use."""

_REPLACEMENT = "lru lfu random sieve s3-fifo arc min weight-sharing hedge"

CASES = {
    "simulate": (
        "simulate two-tier --example table-viii --processes 2 --requests 50",
        "simulate two-tier --example section-v --engine analytic",
    ),
    "evaluate": (
        f"evaluate two-tier --trace trace.csv --cache 1%,10% --policies {_REPLACEMENT} --jobs 1",
        "evaluate two-tier --policies lru weight-sharing hedge --seeds 1 --steps 2 --load-steps 1 --jobs 1",
    ),
    "plan": ("plan two-tier --rate 10000 --p99 50",),
}
FILES = {"trace.csv": "offset,size\n" + "".join(f"{4096 * (page * page % 61)},4096\n" for page in range(300))}
