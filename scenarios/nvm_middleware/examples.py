"""Examples for the help of the commands."""

from __future__ import annotations

from types import MappingProxyType

EXAMPLES = MappingProxyType(
    {
        "simulate": (
            "pmtwin simulate nvm-middleware --phase 2 --pools 8,8",
            "pmtwin simulate nvm-middleware --workload ycsb-a --pools 10,6 --explain",
            "pmtwin simulate nvm-middleware --phase 1 --pools 8,8 --profile my-device.json --json",
        ),
        "train": (
            "pmtwin train nvm-middleware -o policy.npz --dry-run",
            "pmtwin train nvm-middleware -o policy.npz",
            "pmtwin train nvm-middleware -o policy.npz --contexts random --seed 1",
        ),
        "evaluate": (
            "pmtwin evaluate nvm-middleware --policies threshold fixed:9,8 best-fixed",
            "pmtwin evaluate nvm-middleware --contexts contended --policies q-learning:policy.npz clairvoyant",
        ),
        "recommend": (
            "pmtwin recommend --workload ycsb-a",
            "pmtwin recommend --workload my-load.toml --goal p99_us=200 --profile my-device.json",
        ),
        "validate": (
            "pmtwin validate --grid 4,4 8,8 16,8",
            "pmtwin validate --policies threshold --store pmemkv --path /mnt/pmem0 --profile my-device.json",
        ),
        "infer": (
            "pmtwin infer nvm-middleware --dry-run",
            "pmtwin infer nvm-middleware --evidence measurements.csv -o host.json",
        ),
        "export": (
            "pmtwin export q-learning:policy.npz -o policy.json",
            "pmtwin export --sb3 agent.zip --trust -o agent.npz",
        ),
    }
)
