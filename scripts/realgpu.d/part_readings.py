"""Readings: each metric beside nvidia-smi and pynvml, idle and under a load."""

import host
import loads
import metrics
import ours
import table
from run import Missing
from theirs import Dmon, Poll, Tools, Watch, parse

ROUNDS = 3  # a value that moves is read again if it was not between theirs
FINE = 1.5e-3  # what our decimals leave of theirs


def do(run):
    tools = Tools(run)
    for name, why in tools.missing.items():
        run.skip(name, why)
    compared = [m for m in metrics.GPU if m.part == "readings"]
    for m in metrics.GPU:
        if m.reason:
            run.skip(m.key, m.reason)
    before = host.read()
    document = Phase(run, tools, compared).compare("idle")
    compare_host(run, before, ours.node(document)["host"], host.read())
    compare_facts(run, tools, document)
    load = None
    try:
        load = loads.start(run, "product")
    except Missing as err:
        run.skip("under a load", err)
    if load:
        Phase(run, tools, compared).compare("load")
        load.end()


class Phase:
    """All metrics, compared while the GPU does the same all the time."""

    def __init__(self, run, tools, compared):
        self.run, self.tools, self.compared = run, tools, compared
        self.query = tools.fields([q for m in compared for q in m.query])

    def compare(self, phase):
        """Adds a row for each metric, and returns our last document."""
        judged = {}
        for _ in range(ROUNDS):
            document, theirs = self.read(phase)
            gpu = ours.gpu(document)
            for m in self.compared:
                if judged.get(m.key, [table.WRONG])[0] in table.BAD:
                    judged[m.key] = judge(m, gpu.get(m.key), theirs[m.key], reason_of(gpu, m.key), self.unasked(m))
            if not any(m.moves and judged[m.key][0] in table.BAD for m in self.compared):
                break
        for m in self.compared:
            verdict, value, said, why = judged[m.key]
            self.run.row(f"{phase}: {m.key}", value, said, verdict, why)
        return document

    def unasked(self, metric):
        """Returns why nobody was asked about a metric."""
        tools = [name for name, asks in (("nvidia-smi", metric.xml or metric.query), ("pynvml", metric.nvml)) if asks]
        missing = [name for name in tools if name in self.tools.missing]
        return f"there is no {' and no '.join(missing)}" if missing else "this driver's tools do not have it"

    def read(self, phase):
        """Reads both sides. It returns our document, and for each metric what theirs say: (source, cells, step)."""
        run, tools = self.run, self.tools
        watch = dmon = None
        if tools.smi:
            fields = ",".join(self.query)
            query = ["-i", "0", f"--query-gpu={fields}", "--format=csv,noheader", "--loop-ms=200"]
            watch = Watch(run, [tools.smi, *query])
            dmon = Dmon(run, tools.smi, 3, "-s", "pucme")
        poll = Poll(tools, [m for m in self.compared if m.nvml])
        first, _ = tools.xml(f"{phase}-before.xml")
        document = ours.document(run, f"{phase}-ours.json")
        last, _ = tools.xml(f"{phase}-after.xml")
        polled = poll.end()
        lines = watch.end(f"{phase}-query.csv") if watch else []
        columns = dmon.columns(f"{phase}-dmon.txt") if dmon else {}
        cells = [dict(zip(self.query, line.split(", "))) for line in lines if line.count(", ") == len(self.query) - 1]
        theirs = {}
        for m in self.compared:
            said = []
            path = next((p for p in m.xml if first is not None and first.find(p) is not None), None)
            if path:
                said.append(("-q -x", [e.findtext(path, "") for e in (first, last)], m.step or m.scale))
            known = next((q for q in m.query if q in self.query), None)
            if known:
                said.append(("--query-gpu", [c[known] for c in cells], m.step or m.scale))
            if m.dmon in columns:
                said.append(("dmon", columns[m.dmon], m.scale))
            if m.key in polled:
                said.append(("pynvml", polled[m.key], FINE))
            elif m.key in poll.why:
                said.append(("pynvml", [poll.why[m.key]], FINE))
            if m.sys:
                said.append(("/sys", read_sys(m, ours.gpu(document)), FINE))
            theirs[m.key] = said
        return document, theirs


def read_sys(metric, gpu):
    try:
        return [metric.sys(gpu["pci_bus"])]
    except (OSError, ValueError) as err:
        return [str(err)]


def reason_of(gpu, key):
    """Returns why we say that the GPU does not have a metric."""
    return next((why for why, keys in gpu.get("absent", {}).items() if key in keys), "")


def judge(metric, value, theirs, reason, unasked):
    """Returns the verdict on a metric, our value, what theirs say, and why it is not right."""
    ranges, words = [], []
    for source, cells, step in theirs:
        numbers = [n for n in (convert(metric, source, c) for c in cells) if n is not None]
        if numbers:
            ranges.append((source, min(numbers), max(numbers), step))
        elif cells:
            words.append(f"{source} {cells[0] if cells[0] is not None else 'none'}")
    said = describe(ranges) if ranges else "; ".join(words)
    shown = table.number(value) if value is not None else f"absent: {reason}" if reason else "absent"
    if not ranges and not words:
        return table.SKIPPED, shown, "", unasked
    if not ranges:
        return (table.EQUAL if value is None else table.ONLY_OURS), shown, said, ""
    if value is None:
        return table.ABSENT, shown, said, ""
    far = [f"{source} has {span(low, high)}" for source, low, high, step in ranges
           if table.between(low, high, value, step + metric.slack + FINE) == table.WRONG]
    if far:
        return table.WRONG, shown, said, "; ".join(far)
    same = all(table.between(low, high, value, step) == table.EQUAL for _, low, high, step in ranges)
    return (table.EQUAL if same else table.BETWEEN), shown, said, ""


def convert(metric, source, cell):
    """Returns a cell of theirs in our unit. pynvml and /sys have numbers in it."""
    if isinstance(cell, (bool, int, float)):
        return float(cell)
    if source in ("pynvml", "/sys") or cell is None:
        return None
    number = parse(cell, metric.words)
    scale = 1 if cell.strip().lower() in metric.words else metric.scale
    return None if number is None else number * scale


def span(low, high):
    return table.number(low) if low == high else f"{table.number(low)} to {table.number(high)}"


def describe(ranges):
    """Names the sources that agree together."""
    together = {}
    for source, low, high, _ in ranges:
        together.setdefault(span(low, high), []).append(source)
    return "; ".join(f"{said} ({', '.join(sources)})" for said, sources in together.items())


def compare_host(run, before, node, after):
    for key, reason in metrics.HOST.items():
        if reason:
            run.skip(f"node: {key}", reason, table.number(node.get(key)))
        elif key in before:
            value, low, high = node.get(key), *sorted((before[key], after[key]))
            verdict = table.between(low, high, value, host.step(key, high))
            run.row(f"node: {key}", table.number(value), span(low, high), verdict)


def compare_facts(run, tools, document):
    """Compares names and versions, and lists what the driver has and we do not show."""
    gpu, (element, whole) = ours.gpu(document), tools.xml()
    if element is None:
        run.skip("names and versions", tools.missing.get("nvidia-smi", ""))
        return
    fields = tools.fields([q for _, _, q in metrics.FACTS if q])
    cells = tools.query(fields)
    for key, path, field in metrics.FACTS:
        said = {cells.get(field), element.findtext(path) if path else None} - {None}
        value = str(gpu[key]) if key in gpu else "absent"
        if key == "mig":
            value = "Enabled" if gpu.get("mig") else "Disabled"
        right = {value.lower()} == {s.lower() for s in said}
        none = value in ("absent", "Disabled") and said <= {"N/A", "[N/A]"}
        shown = [value, ", ".join(sorted(said))]
        if key in metrics.PRIVATE:  # the table is for others to read
            shown = ["…" + s[-4:] for s in shown]
        run.same(key, *shown, right or none)
    node = ours.node(document)
    for key in ("driver_version", "cuda_version"):
        run.same(key, node.get(key, "absent"), whole.findtext(key, ""))
    run.same("GPUs", str(len(node["gpus"])), whole.findtext("attached_gpus", ""))
    list_unshown(run, element)


def list_unshown(run, element):
    """Adds a row for each group of values that -q -x has and we do not show."""
    claimed = {p for m in metrics.GPU for p in m.xml} | {p for _, p, _ in metrics.FACTS if p}
    groups = {}

    def walk(e, path):
        for child in e:
            walk(child, f"{path}/{child.tag}" if path else child.tag)
        text = (e.text or "").strip()
        if not len(e) and text and "N/A" not in text and text != "None" and "deprecated" not in text:
            if path not in claimed and not path.startswith(metrics.SHOWN):
                group, _, name = path.rpartition("/")
                groups.setdefault(group, []).append(f"{name} {text}")

    walk(element, "")
    for group, values in groups.items():
        run.row(group or "of the GPU", "", "; ".join(values), table.NOT_SHOWN)
