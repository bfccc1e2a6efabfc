"""Scenario files, designs, the runner and the result store."""
