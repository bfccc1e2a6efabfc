"""Which neighbouring entries become one message."""

from collections.abc import Iterator, Sequence

from simlab.check.neutral import Entry


def groups(entries: Sequence[Entry], *, join_results: bool) -> Iterator[list[Entry]]:
    """Yield runs that belong into one message: what one side did in one turn.

    With ``join_results`` a run of results is one message over the borders of turns too.
    """
    run: list[Entry] = []
    for entry in entries:
        if run and not _joins(run[-1], entry, join_results):
            yield run
            run = []
        run.append(entry)
    if run:
        yield run


def _joins(before: Entry, entry: Entry, join_results: bool) -> bool:
    if before.kind == "system" or entry.kind == "system" or before.model_side != entry.model_side:
        return False
    if before.turn == entry.turn and before.turn >= 0:
        return True
    return join_results and before.kind == entry.kind == "result"
