"""Operations of a key-value store on a device, without a middleware: its law, its file, predictions.

| module | contents |
|---|---|
| `parameters` | inferred and assumed parameters of a store, with priors |
| `counts`, `work` | demand of one operation: counts, and work with the inferred parameters |
| `device_times`, `law` | throughput of a closed loop of threads on a device |
| `file` | a store's file: joint samples of the posterior; the shipped ones lie in `pmtwin.sim.stores` |
| `points`, `prediction` | the table of `pmtwin predict`, and its answers with intervals |
"""
