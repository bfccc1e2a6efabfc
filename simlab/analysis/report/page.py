"""The page of a report: one file, no network, light and dark, from a phone to paper."""

from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files

from simlab.analysis.report.html import commands, legend, paragraphs, picture, points, table
from simlab.analysis.report.values import Part, Report, Worst


def page(report: Report) -> str:
    """Return the whole page. Its policy forbids every request, and every script but its own."""
    here = files("simlab.analysis.report")
    style = here.joinpath("report.css").read_text(encoding="utf-8")
    script = here.joinpath("report.js").read_text(encoding="utf-8")
    allowed = b64encode(sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{allowed}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{escape(report.title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        '<a class="skip" href="#main">Skip to the report</a>\n'
        f"<header><h1>{escape(report.title)}</h1>{_contents(report)}</header>\n"
        f'<main id="main">\n{_main(report)}\n</main>\n<script>{script}</script>\n</body>\n</html>\n'
    )


def _contents(report: Report) -> str:
    places = [("question", "Question and answer")]
    places += [(f"part-{number}", part.title) for number, part in enumerate(report.parts)]
    places += [("strategies", "Strategies"), ("violations", "Violations"), ("checklist", "Checklist")]
    places += [("reproduce", "Reproduce")]
    links = "".join(f'<li><a href="#{ident}">{escape(name)}</a></li>' for ident, name in places)
    return f'<nav aria-label="Contents"><ul>{links}</ul></nav>'


def _main(report: Report) -> str:
    sections = [
        _section("question", "Question and answer", paragraphs([report.question], "lead") + paragraphs(report.summary)),
        *(_part(part, number) for number, part in enumerate(report.parts)),
        _section("strategies", "Strategies", table(report.strategies)),
        _section(
            "violations",
            "Violations",
            paragraphs([report.violations_told]) + (table(report.violations) if report.violations.rows else ""),
        ),
        _section("checklist", "Checklist: STRESS-DES", table(report.checklist)),
        _section("reproduce", "Reproduce", commands([report.command]) + points(report.made_with)),
    ]
    return "\n".join(sections)


def _section(ident: str, title: str, inside: str) -> str:
    head = f'<h2 id="{ident}-head">{escape(title)}</h2>'
    return f'<section id="{ident}" aria-labelledby="{ident}-head">{head}{inside}</section>'


def _part(part: Part, number: int) -> str:
    key = f"part-{number}"
    pictures = "".join(picture(each, f"{key}-picture-{place}") for place, each in enumerate(part.pictures))
    worst = "".join(_worst(each, f"{key}-worst-{place}") for place, each in enumerate(part.worst))
    inside = [
        paragraphs([" ".join(part.description.split())]),
        table(part.facts),
        _sub(key, "verdict", f"Verdict against {part.baseline}"),
        legend(part.arms.items()),
        points(part.verdicts),
        table(part.overview),
        _sub(key, "change", "What would change the verdict"),
        points(part.changes),
        _sub(key, "charts", "Charts"),
        f'<div class="pictures">{pictures}</div>',
        _sub(key, "worst", "Worst runs"),
        worst or paragraphs(["None to show."]),
        _sub(key, "details", "Every statistic"),
        table(part.details),
        _sub(key, "assumptions", "Assumptions and their sources"),
        table(part.assumptions),
    ]
    return _section(key, part.title, "".join(inside))


def _sub(key: str, ident: str, title: str) -> str:
    return f'<h3 id="{key}-{ident}">{escape(title)}</h3>'


def _worst(each: Worst, ident: str) -> str:
    shown = picture(each.picture, ident) if each.picture else ""
    note = paragraphs([each.note]) if each.note else ""
    return (
        f'<div class="worst"><h4>{escape(each.arm)}: replication {each.replication}</h4>'
        f"{paragraphs([each.why])}{shown}{note}{commands(each.commands)}</div>"
    )
