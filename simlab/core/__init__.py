"""The agent as a state machine: inputs in, commands out. Standard library only."""
