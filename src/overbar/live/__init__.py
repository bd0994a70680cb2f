"""Live use: arms that somebody really tries."""

from overbar.live.sampler import Ask, Sampler, Verdict

__all__ = ["Ask", "Sampler", "Verdict"]
