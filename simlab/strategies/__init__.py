"""What an agent does with an event that arrives while it is busy: one plug-in a file."""
