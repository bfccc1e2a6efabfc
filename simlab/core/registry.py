"""Plug-ins by name: the shipped ones, and those that installed packages announce through entry points."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from simlab.core.errors import SimlabError


class Registry:
    """Names to plug-ins of one kind. Nothing is imported before it is asked for.

    ``shipped`` maps a name to ``module:attribute``; ``group`` is the entry point group of installed plug-ins.
    ``needed`` are the attributes that a plug-in must have. ``extras`` maps a shipped name to the optional package
    without which it is not listed (asked for all the same, it says what to install).
    """

    def __init__(
        self,
        *,
        kind: str,
        group: str,
        shipped: Mapping[str, str],
        needed: tuple[str, ...],
        extras: Mapping[str, str] | None = None,
    ) -> None:
        self._kind = kind
        self._group = group
        self._shipped = shipped
        self._needed = needed
        self._extras = extras or {}

    def names(self) -> list[str]:
        """Return every known name: the shipped ones in their order, then the installed ones."""
        listed = [name for name in self._shipped if name not in self._extras or find_spec(self._extras[name])]
        return [*listed, *sorted(set(self._installed()) - set(self._shipped))]

    def _installed(self) -> Mapping[str, Any]:
        from importlib.metadata import entry_points

        return {point.name: point for point in entry_points(group=self._group)}

    def get(self, name: str) -> Any:
        """Return a new plug-in of that name. Raises SimlabError for an unknown name or a broken plug-in."""
        target = self._shipped.get(name)
        if target is not None:
            module, _, attribute = target.partition(":")
            found = getattr(import_module(module), attribute)
        elif name in (installed := self._installed()):
            found = self._load(installed[name])
        else:
            raise SimlabError(f"no {self._kind} {name!r}; known: {', '.join(self.names())}")
        made = self._make(name, found) if isinstance(found, type) else found
        self._check(name, made)
        return made

    def _make(self, name: str, found: type) -> Any:
        try:
            return found()
        except SimlabError:
            raise
        except Exception as error:
            raise SimlabError(f"{self._kind} {name!r} ({found.__name__}) cannot be made: {error!r}") from error

    def _load(self, point: Any) -> Any:
        try:
            return point.load()
        except Exception as error:
            raise SimlabError(f"{self._kind} {point.name!r} ({point.value}) cannot be loaded: {error!r}") from error

    def _check(self, name: str, made: object) -> None:
        missing = [each for each in self._needed if not hasattr(made, each)]
        if missing:
            raise SimlabError(f"{self._kind} {name!r} ({type(made).__name__}) lacks {', '.join(missing)}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())
