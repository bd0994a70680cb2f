"""Planning: how large a budget has to be, before an arm is tried."""
