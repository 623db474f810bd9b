"""`pmtwin bench lustre-tuning`: commands of disks by workload and engine, and windows, with a learning network too."""

from pmtwin.bench import Request
from pmtwin.scenarios.lustre_tuning import benchmark


def test_it_measures_workloads_engines_and_windows(monkeypatch, capsys):
    monkeypatch.setattr(benchmark, "SECONDS", {"compiled": 0.1, "simpy": 0.02})
    monkeypatch.setattr(benchmark, "WINDOWS", 1)
    monkeypatch.setattr(benchmark, "WARM", 2)
    report = benchmark.measure(Request("/dev/shm", 1, 0.001))
    benchmark.show(report | {"benchmark": "lustre-tuning", "repeats": 1})
    rates = [set(result["rates"]) for result in report["results"]]
    assert rates == [set(benchmark.MEASURED), {"compiled", "simpy"}, {"environment", "dqn"}]
    assert "random-1-9" in capsys.readouterr().out
