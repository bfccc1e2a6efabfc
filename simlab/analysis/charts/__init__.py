"""Charts: functions from a tidy frame and an Axes to that Axes, so that they compose in notebooks and reports."""
