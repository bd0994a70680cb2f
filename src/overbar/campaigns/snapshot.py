"""A course as bytes, kept beside the log so that a long campaign opens quickly.

A snapshot is a cache. One that cannot be read, or that another version took, is passed over, and
the log is added up from its beginning.
"""

import zipfile
from collections.abc import Sequence
from io import BytesIO
from typing import Any

import numpy as np

from overbar.campaigns.course import Arm, Course, Out
from overbar.campaigns.terms import Terms
from overbar.live.ledger import Ledger

FORM = 2  # of the bytes; and of all that a course remembers


def due(arms: int, events: int) -> bool:
    """Return whether it is time for one, so many events after the last."""
    return events >= max(5_000, arms // 2)  # so that it costs a course's event little


def taken(course: Course) -> bytes:
    """Return the course as bytes."""
    ledger = course.ledger
    tickets = [(ticket, arm) for ticket, arm in ledger.waiting.items()]
    content = BytesIO()
    arrays: dict[str, Any] = dict(
        ledger.play.state(),
        form=np.array(FORM),
        books=np.array([course.seq, ledger.budget, ledger.spent, ledger.stopped], dtype=np.int64),
        tickets=np.array(tickets, dtype=np.int64).reshape(-1, 2),
        expires=np.array([course.out[ticket].expires for ticket, _ in tickets], dtype=np.float64),
        workers=np.array([course.out[ticket].worker or "" for ticket, _ in tickets], dtype=np.str_),
    )
    np.savez(content, **arrays)
    return content.getvalue()


def read(content: bytes, terms: Terms, arms: Sequence[Arm]) -> Course | None:
    """Return the course that `taken` was called on, or None when the bytes are not of use."""
    try:
        with np.load(BytesIO(content), allow_pickle=False) as kept:
            state = dict(kept)
        if state["form"] != FORM:
            return None
        seq, budget, spent, stopped = state["books"].tolist()
        thresholds = [arm.threshold for arm in arms[: len(state["active"])]]
        ledger = Ledger(terms.play(thresholds, budget, state), budget)
        ledger.spent, ledger.stopped = spent, bool(stopped)
        ledger.waiting = dict(state["tickets"].tolist())
        outs = zip(
            *(state[name].tolist() for name in ("tickets", "expires", "workers")), strict=True
        )
        out = {ticket: Out(expires, worker or None) for (ticket, _), expires, worker in outs}
    except (ValueError, KeyError, OSError, EOFError, IndexError, zipfile.BadZipFile):
        return None
    expiries = sorted((each.expires, ticket) for ticket, each in out.items())
    return Course(terms, list(arms), ledger, seq, out, expiries)
