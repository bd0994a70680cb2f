"""Durable campaigns: many workers try real arms, and nothing is lost."""

DATABASE = "overbar.db"  # where they are kept if nothing else is said
