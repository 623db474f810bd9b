"""Runs as PerMA-Bench reports them."""

CONFIG = {
    "access_size": 256,
    "exec_mode": "random",
    "memory_range": 10737418240,
    "memory_type": "pmem",
    "min_io_chunk_size": 67108864,
    "numa_pattern": "near",
    "number_operations": 200000000,
    "number_partitions": 1,
    "number_threads": 4,
    "operation": "read",
    "prefault_file": True,
    "random_distribution": "uniform",
}


RESULTS = {
    "accessed_bytes": 51200000000,
    "bandwidth": 9.925,
    "execution_time": 4.8044,
    "thread_bandwidth_avg": 2.481,
    "thread_bandwidth_std_dev": 0.011,
}


CHAIN = {key: CONFIG[key] for key in CONFIG if key not in ("access_size", "operation", "random_distribution")}
CHAIN |= {"custom_operations": "rp_64", "exec_mode": "custom", "number_threads": 1}


LATENCY = {"avg": 428.8, "lower_quartile": 412, "max": 4671, "median": 424, "min": 50, "percentile_90": 448}
LATENCY |= {"percentile_95": 463, "percentile_99": 616, "percentile_999": 684, "percentile_9999": 881}
LATENCY |= {"std_dev": 46.3, "upper_quartile": 434}


CHAIN_RESULTS = {"execution_time": 20.9, "latency": LATENCY, "num_operations": 100139008, "ops_per_second": 4780706.4}


def run(config=None, results=None) -> dict:
    """A run of random reads with some values changed; None removes one."""
    parts = CONFIG | (config or {}), RESULTS | (results or {})
    config, results = ({key: value for key, value in part.items() if value is not None} for part in parts)
    return {"config": config, "results": results}


WRITE = {"operation": "write", "persist_instruction": "nocache"}


def deeper(parallel: dict) -> dict:
    """The same parallel run as PerMA-Bench's authors published it: numbers one level deeper."""
    results = {name: {"results": numbers[0]} for name, numbers in parallel["results"].items()}
    return parallel | {"results": results}


def halves(read=None, write=None) -> dict:
    """A parallel run of random reads of 256 B beside random non-temporal stores of 4 KiB, with some values changed."""
    written = {"operation": "write", "persist_instruction": "nocache", "access_size": 4096, "number_threads": 12}
    config = {"page_in": CONFIG | (read or {}), "page_out": CONFIG | written | (write or {})}
    return {"config": config, "results": {"page_in": [RESULTS], "page_out": [RESULTS | {"bandwidth": 4.5}]}}
