"""What real products do with a message that arrives while the agent is busy: one plug-in a file."""
