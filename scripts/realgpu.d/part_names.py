"""Names: what the driver writes that is no number, once in full."""

import re

import metrics
import ours
from theirs import Tools

NUMBER = re.compile(r"^-?[\d.]+( ?(?P<unit>\S+))?$")


def do(run):
    element, _ = Tools(run).xml("full.xml")
    gpu = ours.gpu(ours.document(run))
    run.measured("name", gpu.get("name", "absent"))
    for reason, keys in sorted(gpu.get("absent", {}).items()):
        run.measured(f"we say {reason!r}", ", ".join(keys), "")
    units, words = {}, {}
    for path, text in leaves(element):
        found = NUMBER.match(text)
        if found:
            units.setdefault(found["unit"] or "none", []).append(path)
        else:
            words.setdefault(text, []).append(path)
    for unit, paths in sorted(units.items()):
        run.measured(f"unit {unit}", "", f"{len(paths)} values, as {paths[0]}")
    for text, paths in sorted(words.items()):
        run.measured(f"{text!r}", "", f"{len(paths)}: {', '.join(p.rpartition('/')[2] for p in paths)}")


def leaves(element, path=""):
    """Yields the path and the text of each value. Long lists are left out."""
    for child in element if element is not None else ():
        below = f"{path}/{child.tag}" if path else child.tag
        text = (child.text or "").strip()
        if len(child) and child.tag not in ("supported_clocks", "processes"):
            yield from leaves(child, below)
        elif text and not len(child) and child.tag not in metrics.PRIVATE:
            yield below, text
