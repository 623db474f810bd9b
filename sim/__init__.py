"""The twin: device law, profiles, host, queues, pools, middleware; engines `simpy` and `compiled`."""
