"""The real NVM middleware (C++, thesis chapter 3), from Python.

    >>> from pmtwin.middleware import binding
    >>> native = binding.load()                                 # MissingDependencyError where it is not built
    >>> database = native.Middleware()
    >>> database.start(native.open_store("map"), interactive_threads=4, batch_threads=4)
    >>> database.put("key", b"value", native.Mode.interactive)
    >>> database.get("key", native.Mode.batch)
    b'value'

`pmtwin.middleware.native.NativeEngine` puts it below the scenarios, in place of the twin: engine `native`.
"""
