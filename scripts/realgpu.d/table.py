"""The rows of the table, and their verdicts."""

import dataclasses

EQUAL = "equal"
BETWEEN = "between"  # two readings of theirs, or the ends of what is expected
MEASURED = "measured"  # there is nothing to compare it with
ONLY_OURS = "only ours"  # their tools say that there is no such value
NOT_SHOWN = "not shown"  # the driver has it, and we do not show it
WRONG = "wrong"
ABSENT = "absent but answers"  # we say that the GPU does not have it, and their tools have a value
SKIPPED = "skipped"

BAD = (WRONG, ABSENT)
COMPARED = (EQUAL, BETWEEN) + BAD

LONGEST, WHOLE = 110, 1000  # characters of a cell, and of a verdict with its reason


@dataclasses.dataclass
class Row:
    part: str
    what: str
    ours: str
    theirs: str
    verdict: str
    why: str = ""  # for a verdict that needs a reason

    def cells(self):
        verdict = f"{self.verdict}: {self.why}" if self.why else self.verdict
        return [self.what, self.ours, self.theirs, verdict]


def cell(text, longest=LONGEST):
    """Returns a text as a cell: on one line, without what Markdown takes for the end of the cell."""
    text = " ".join(str(text).split()).replace("|", "\\|")
    return text if len(text) <= longest else text[: longest - 1] + "…"


def lines(row):
    """Yields the lines of a row. A reason is whole."""
    *cells, verdict = row.cells()
    yield f"| {' | '.join(map(cell, cells))} | {cell(verdict, WHOLE)} |"


HEAD = ["| what | ours | theirs | verdict |", "|---|---|---|---|"]


def markdown(rows, title):
    """Yields the lines of the whole table, with a heading for each part."""
    yield title
    part = None
    for row in rows:
        if row.part != part:
            part = row.part
            yield from ["", f"## {part}", "", *HEAD]
        yield from lines(row)


def summary(rows):
    """Says what was compared, and what was not."""
    count = {}
    for row in rows:
        count[row.verdict] = count.get(row.verdict, 0) + 1
    compared = sum(count.get(v, 0) for v in COMPARED)
    wrong = sum(count.get(v, 0) for v in BAD)
    rest = [f"{count[v]} {v}" for v in (EQUAL, BETWEEN) if v in count] + [f"{wrong} wrong"]
    others = [f"{count[v]} {v}" for v in (MEASURED, ONLY_OURS, NOT_SHOWN, SKIPPED) if v in count]
    if not compared:
        return "nothing was compared: " + ", ".join(others or ["there are no rows"])
    return f"{compared} rows compared: {', '.join(rest)}" + (f"; {', '.join(others)}" if others else "")


def is_good(rows):
    """Reports whether rows were compared, and none is wrong."""
    verdicts = {row.verdict for row in rows}
    return not verdicts.isdisjoint(COMPARED) and verdicts.isdisjoint(BAD)


def between(low, high, value, step=0.0):
    """Returns the verdict on a value that should lie between two others, which are known to a step."""
    if value is None:
        return WRONG
    if not low - step <= value <= high + step:
        return WRONG
    return EQUAL if high - low <= step and abs(value - low) <= step else BETWEEN


def number(value):
    """Returns a number as it is read best."""
    if value is None:
        return "absent"
    if isinstance(value, float):
        value = round(value, 3)
        value = int(value) if value == int(value) else value
    return f"{value:,}" if isinstance(value, int) and abs(value) >= 100_000 else str(value)
