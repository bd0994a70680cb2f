"""Why each arm was chosen, told from the log alone."""

from collections.abc import Iterator, Sequence

from overbar.campaigns.course import Arm, Course
from overbar.campaigns.log import Decision, Event
from overbar.campaigns.terms import Terms
from overbar.live.play import FIRST_PULLS, INDEXED


def decisions(terms: Terms, arms: Sequence[Arm], events: Iterator[Event]) -> Iterator[Decision]:
    """Yield the decision behind each ticket, as it looked when it was made."""
    course = Course.begin(terms, arms, next(events))
    for event in events:
        if event.kind == "ask":
            yield _decision(course, event)
            course.add(event)
        else:
            course.follow([event])


def _decision(course: Course, event: Event) -> Decision:
    assert event.ticket is not None
    assert event.arm is not None
    chosen = course.ledger.choose()
    front = course.ledger.play.front()
    if event.arm not in [arm for _, _, arm, _ in front[:1]]:
        runner_up = front[0] if front else None
        by, index = "chance", None
    else:
        runner_up = front[1] if len(front) > 1 else None
        kind, value = front[0][:2]
        index = value if kind == INDEXED else None
        by = {FIRST_PULLS: "first try", INDEXED: "index"}.get(kind, "no result yet")
    return Decision(
        event.ticket,
        course.arms[event.arm].name,
        by,  # type: ignore[arg-type]
        index,
        course.arms[runner_up[2]].name if runner_up else None,
        runner_up[1] if runner_up and runner_up[0] == INDEXED else None,
        chosen == event.arm,
    )
