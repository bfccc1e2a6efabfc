"""Which handling an event gets: one plug-in a file."""
