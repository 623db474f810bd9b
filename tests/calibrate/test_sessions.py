"""Sessions of one campaign: how far they lie apart at what they share."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.calibrate.measurements import group, join
from pmtwin.calibrate.sessions import session_widths


def measured(make_sweep, factors):
    """A sweep in several sessions, each faster than the law by a factor of its own."""
    sweep = make_sweep()
    sessions = [
        replace(sweep, bandwidth_mib_s=sweep.bandwidth_mib_s * factor, session=np.full(len(sweep), f"day {number}"))
        for number, factor in enumerate(factors)
    ]
    return join(sessions)


def widths(measurements):
    return session_widths(measurements, group(measurements)[1], ["load", "ntstore"])


def test_the_width_is_how_far_a_session_lies_from_the_others(make_sweep):
    result = widths(measured(make_sweep, [1.0, 1.0, 1.0, 1.0, 1.0, 1.1]))
    assert list(result) == ["load"]
    assert result["load"]["groups"] == 6
    assert result["load"]["log_half_width"] == pytest.approx(np.log(1.1), abs=1e-3)


def test_sessions_count_alike_whatever_they_measured(make_sweep):
    alike = measured(make_sweep, [1.0] * 8)
    odd = measured(make_sweep, [1.3])
    odd = replace(odd.take(np.arange(6)), session=np.full(6, "odd"))
    assert widths(join([alike, odd]))["load"]["log_half_width"] == pytest.approx(np.log(1.3), abs=1e-3)
    fewer = odd.take(np.arange(4))
    assert widths(join([alike, fewer]))["load"]["log_half_width"] == 0.0


def test_files_that_name_no_session_tell_nothing(make_sweep):
    assert widths(join([make_sweep(), make_sweep(noise=0.1)])) == {}


def test_a_lattester_file_names_its_sessions(lattester_file):
    from pmtwin.calibrate.readers import read_sources

    header = (
        "access_size,avgpower,date,interleaving,machine,media,operation,stride_size,tag,task_type,threads,throughput"
    )
    rows = ({"date": "2019-03-30", "machine": "AEP1"}, {"date": "2019-03-31", "machine": "AEP1"})
    measurements, _ = read_sources([lattester_file(*rows, header=header)])
    assert measurements.session.tolist() == ["AEP1 2019-03-30 abcd", "AEP1 2019-03-31 abcd"]
