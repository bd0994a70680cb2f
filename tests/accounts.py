"""The accounts of a campaign, by an auditor who adds up the log with nothing of Overbar's."""

from collections import Counter

from sqlalchemy import Engine, create_engine, text


def engine_of(database: str) -> Engine:
    url = database if "://" in database else f"sqlite:///{database}"
    return create_engine(url.replace("postgresql:", "postgresql+psycopg:"))


def rewards_in_log(database: str, name: str) -> list[tuple[int, float]]:
    """Return ticket and reward of every result that was asked for."""
    engine = engine_of(database)
    try:
        with engine.connect() as connection:
            rows = connection.execute(
                text(
                    "SELECT ticket, reward FROM overbar_log JOIN overbar_campaigns ON campaign = id"
                    " WHERE name = :name AND kind IN ('tell', 'late')"
                ),
                {"name": name},
            )
            return [(ticket, reward) for ticket, reward in rows]
    finally:
        engine.dispose()


def check_accounts(database: str, name: str) -> "Counter[str]":
    """Compare log and counters, and return how many events of each kind there are."""
    engine = engine_of(database)
    try:
        with engine.connect() as connection:
            campaign = connection.execute(
                text("SELECT * FROM overbar_campaigns WHERE name = :name"), {"name": name}
            ).one()
            log = connection.execute(
                text("SELECT * FROM overbar_log WHERE campaign = :id ORDER BY seq"),
                {"id": campaign.id},
            ).all()
            arms = connection.execute(
                text("SELECT count(*) FROM overbar_arms WHERE campaign = :id"), {"id": campaign.id}
            ).scalar()
    finally:
        engine.dispose()
    assert [event.seq for event in log] == list(range(1, campaign.seq + 1))
    kinds = Counter(event.kind for event in log)
    for counter, kind in [
        *(("asked", "ask"), ("told", "tell"), ("failed", "fail"), ("expired", "expire")),
        *(("late", "late"), ("history", "history")),
    ]:
        assert getattr(campaign, counter) == kinds[kind], counter
    assert arms == campaign.arms
    out: set[int] = set()
    back: set[int] = set()
    told: set[int] = set()
    spent = budget = 0
    for event in log:
        match event.kind:
            case "open" | "extend":
                budget = event.budget
            case "ask":
                assert event.ticket == event.seq
                assert event.ticket not in out | back | told  # never given twice
                out.add(event.ticket)
                spent += 1
                assert spent <= budget  # never overspent, at any moment
            case "tell":
                out.remove(event.ticket)
                told.add(event.ticket)
            case "fail" | "expire":
                out.remove(event.ticket)
                back.add(event.ticket)
                spent -= 1
            case "late":
                back.remove(event.ticket)
                told.add(event.ticket)
    assert budget == campaign.budget
    assert spent == campaign.asked - campaign.failed - campaign.expired
    return kinds
