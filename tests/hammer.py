"""Workers for the tests, each a process of its own."""

import os
import random
from pathlib import Path
from uuid import uuid4

import overbar as ob


def reward_of(ticket: int) -> float:
    """What a ticket pays: the same whoever tells it."""
    return ticket % 7 / 6


def hammer(database: str, seed: int, told: Path | None = None) -> None:
    """Ask and tell until nothing is left, with doubled calls, failures, and results that conflict.

    What the campaign took in is written to the file `told`, after it did.
    """
    chance = random.Random(seed)
    file = os.open(told, os.O_WRONLY | os.O_APPEND | os.O_CREAT) if told else None
    with ob.Campaign.open("c", database) as campaign:
        while True:
            request = uuid4().hex
            n = chance.randint(1, 40)
            tickets = campaign.ask(n, request=request)
            if chance.random() < 0.05:
                again = campaign.ask(n, request=request)
                assert again == tickets or not tickets
                tickets = again  # where there was nothing left, a try may have come back since
            if not tickets:
                break
            for ticket in tickets[chance.randrange(5) :]:
                one(campaign, ticket, chance, file)
            rest = {ticket.id: reward_of(ticket.id) for ticket in tickets}
            campaign.turn({id_: x for id_, x in rest.items() if id_ % 50})
            campaign.turn(failed={id_: "no answer" for id_ in rest if not id_ % 50})
    if file is not None:
        os.close(file)


def one(campaign: ob.Campaign, ticket: ob.Ticket, chance: random.Random, file: int | None) -> None:
    if chance.random() > 0.2 or not ticket.id % 50:
        return
    campaign.tell(ticket, reward_of(ticket.id))
    if file is not None:
        os.write(file, f"{ticket.id}\n".encode())
    if chance.random() < 0.05:
        try:
            campaign.tell(ticket, 1 - reward_of(ticket.id) / 2)
        except ob.Conflict:
            return
        assert reward_of(ticket.id) == 1 - reward_of(ticket.id) / 2
