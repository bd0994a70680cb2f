"""Durable campaigns: many workers try real arms, and nothing is lost."""

from overbar.campaigns.campaign import Campaign
from overbar.campaigns.finding import Finding
from overbar.campaigns.log import Decision, Event, Status, Ticket

__all__ = ["Campaign", "Decision", "Event", "Finding", "Status", "Ticket"]
