"""Operations of a key-value store on a device, without a middleware: its law, its file, predictions.

| module | what |
|---|---|
| `parameters` | what is inferred and assumed of a store, with priors |
| `counts`, `work` | what one operation asks for: counted, and with what is inferred |
| `device_times`, `law` | how fast a closed loop of threads runs it on a device |
| `file` | a store's file: joint samples of the posterior; the shipped ones lie in `pmtwin.sim.stores` |
| `points`, `prediction` | the table of `pmtwin predict`, and its answers with intervals |
"""
