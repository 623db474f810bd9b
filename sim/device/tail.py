"""The tail of a single write: a narrow log-normal body, wear-levelling stalls, and rarer short stalls."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.sim.files.typed_json import NotNegative, Positive, Probability


@dataclass(frozen=True)
class Tail:
    """Distribution of the service time of one 256 B line (FAST'20, section 3.3 and figure 3).

    Args:
        write_body_sigma: standard deviation of the logarithm of the body.
        stall_ns, stall_sd_ns: mean and standard deviation of the duration of a wear-levelling stall.
        stall_probability: per 256 B line written to a hot block of 64 KiB.
        rare_stall_low_ns, rare_stall_high_ns: range of the durations of the rarer stalls.
        rare_stall_probability: per line.
        stall_region_bytes: size of the hot block at which stalls are half as frequent as in a small one: the writes
            spread over more blocks of the media, whose counters decay between writes.
        stall_region_exponent: exponent of the fall of this frequency with the size.
    """

    write_body_sigma: NotNegative
    stall_ns: NotNegative
    stall_sd_ns: NotNegative
    stall_probability: Probability
    rare_stall_low_ns: NotNegative
    rare_stall_high_ns: NotNegative
    rare_stall_probability: Probability
    stall_region_bytes: Positive = 43_000.0
    stall_region_exponent: NotNegative = 4.0

    def stall_probability_in(self, region_bytes: float) -> float:
        """Probability per 256 B line written of a wear-levelling stall, in a hot block of this size."""
        return self.stall_probability / (1.0 + (region_bytes / self.stall_region_bytes) ** self.stall_region_exponent)
