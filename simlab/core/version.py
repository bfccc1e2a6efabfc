"""The version of simlab, where every layer may read it."""

VERSION = "0.1.0"
