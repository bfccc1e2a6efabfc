"""Writes ``results/README.md``: the published comparisons of the shipped scenarios, from their own files.

``make results`` makes the comparisons and then runs this.
"""

import sys
from pathlib import Path

from simlab.analysis.report.words import overview, verdicts
from simlab.experiment.report import build_compared, read_results

HERE = Path(__file__).parent
PUBLISHED = (
    "coding-assistant-strategies",
    "coding-assistant-routers",
    "chat-ops-strategies",
    "chat-ops-routers",
    "stress-strategies",
)
HEAD = """# Results

Which strategy, in which of the shipped scenarios: comparisons made by `make results`. Each folder holds the tables of
all runs and events, a manifest that says how they were made, the comparison as CSV, and figures. For a page with
everything (worst runs, assumptions, what would change the verdict):

```sh
simlab report results/chat-ops-strategies -o report.html
```

No real model was called: latencies and tool times follow published traces, and what the numbers are worth stands in
each scenario's list of sources. Differences are paired, with 95 % intervals; verdicts are adjusted over all
statistics of a comparison (Holm). *Undecided* is a verdict.

Also here:

- [the worked cases](first-comparison/comparison.md), and [the question of the README](coding-assistant/): which
  router for which message
- [every policy in every scenario](league/README.md)
- [how good routers are](routers/README.md), [faults of the model](faults.md), [policies of products](policies.md)
- [closed forms against the simulator](validation.md), [coverage of intervals and procedures](coverage.md), and
  [the best of several, raced](selection.json)
- random scenarios under every strategy: [the source's](random_scenarios/source.md),
  [all others](random_scenarios/others.md); [fuzzed runs](fuzz.md); [mutants of the core](mutation.md);
  [code coverage](code_coverage.md)
- [speed and scale](scale.json), explained in [docs/speed.md](../docs/speed.md)
- [published runtimes in the storm](runtimes/README.md), [fuzzing](check_fuzz.md) and [speed](check_reading.md) of
  the checker, [mutants of the core](mutation.md), [coverage of the code](code_coverage.md)
"""


def readme() -> str:
    """Return the text of the page."""
    return HEAD + "".join(_section(name) for name in PUBLISHED)


def _section(name: str) -> str:
    results = read_results(HERE / name)
    (compared,) = build_compared(results)
    grid = overview(compared.rows, compared.arms, compared.baseline, name)
    stem = compared.scenario.replace("/", "-")
    lines = [list(grid.head), ["---"] + ["---:"] * (len(grid.head) - 1)]
    lines += [[cell.text for cell in row] for row in grid.rows]
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    told = "\n".join(
        f"- **{each.head}**: {each.text}" for each in verdicts(compared.rows, compared.arms, compared.baseline)
    )
    return (
        f"\n## {name}\n\n`{results.manifest['command']}`\n\n{told}\n\n"
        f"![How long until the first answer]({name}/{stem}.responses.png)\n\n"
        f"<details><summary>All means, against {compared.baseline}</summary>\n\n{table}\n\n</details>\n"
    )


if __name__ == "__main__":
    text = readme()
    (HERE / "README.md").write_text(text, encoding="utf-8")
    sys.stderr.write(f"written: {HERE / 'README.md'}\n")
