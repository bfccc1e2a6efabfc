"""The simulator against theory: recursions first, closed forms next, averages last."""
