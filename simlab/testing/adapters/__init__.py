"""Published agent runtimes in the storm, one file each; each needs its own optional extra."""
