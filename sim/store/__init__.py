"""Operations of a key-value store on a device: their demand, the store's law and its file, predictions.

| module | contents |
|---|---|
| `counts`, `work` | demand of one operation: counts, and work with the inferred parameters |
| `device_times`, `law` | throughput of a closed loop of threads on a device, without a middleware |
| `demand`, `request_accesses`, `operation_demand` | demand of a request in the twin of a middleware |
| `accesses` | the same for a store whose number of records is stated, by the store's law |
| `measured_threads` | number of threads that the data of a profile cover |
| `file` | a store's file: joint samples of the posterior; the shipped ones are in `pmtwin.sim.stores` |
| `points`, `prediction` | the table of `pmtwin predict`, and predictions with intervals |

The parameters of the law are in `pmtwin.sim.parameters.store_law`.
"""
