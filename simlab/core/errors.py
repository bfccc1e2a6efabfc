"""Errors that are the caller's: each says what, where, and what would have been right."""


class SimlabError(Exception):
    """The caller's mistake, told in one line. The command line prints it and exits with 2."""
