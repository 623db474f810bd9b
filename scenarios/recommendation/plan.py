"""Size of a search for one setting: rounds, a final, and samples of device and host."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RecommendationPlan:
    """Size of the search.

    Args:
        rounds: for each round (windows per setting, number of settings that stay).
        final_seeds, final_windows: number of runs of each setting in the final, and of windows in each run.
        samples: number of plausible devices and hosts, each with different requests.
        sample_windows: number of windows of each setting on each sample.
        finalists: number of settings that run on the samples, besides those tied with the best.
        warmup_windows: number of windows before those that count.
    """

    rounds: tuple[tuple[int, int], ...] = ((4, 16), (24, 8))
    final_seeds: int = 4
    final_windows: int = 80
    samples: int = 24
    sample_windows: int = 15
    finalists: int = 4
    warmup_windows: int = 4

    def most_windows(self, settings: int) -> int:
        """Largest number of windows of a search over `settings` candidates, without those for ties and other limits."""
        total = 0
        for windows, stay in self.rounds:
            total += settings * (windows + self.warmup_windows)
            settings = min(settings, stay)
        total += self.final_windows_of(settings)
        return total + self.sample_windows_of(min(settings, self.finalists))

    def final_windows_of(self, settings: int) -> int:
        """Number of windows of `settings` settings in the final."""
        return settings * self.final_seeds * (self.final_windows + self.warmup_windows)

    def sample_windows_of(self, settings: int) -> int:
        """Number of windows of `settings` settings on all samples."""
        return settings * self.samples * (self.sample_windows + self.warmup_windows)
