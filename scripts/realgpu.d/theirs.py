"""How NVIDIA's own tools are read: nvidia-smi in its three forms, and pynvml."""

import re
import subprocess
import threading
import xml.etree.ElementTree as ElementTree

from run import Missing, module, stop, tool

NO_FIELD = re.compile(r'Field "([^"]+)" is not a valid field')
NUMBER = re.compile(r"^-?(0x[0-9a-fA-F]+|\d+(\.\d+)?)")


def parse(text, words):
    """Returns the number in a cell, as "599.02 W", "16x", "P0", "0x4" or "Enabled"; None if it is none, as "[N/A]"."""
    text = text.strip()
    if text.lower() in words:
        return words[text.lower()]
    found = NUMBER.match(text[1:] if re.match(r"^P\d+$", text) else text)
    if not found:
        return None
    return int(found[0], 16) if "0x" in found[0] else float(found[0])


class Tools:
    """Their tools on this machine, for the first GPU. What is missing has its reason in missing."""

    def __init__(self, run):
        self.run, self.missing, self.smi, self.nvml, self.gpu = run, {}, None, None, None
        try:
            self.smi = tool("nvidia-smi")
        except Missing as err:
            self.missing["nvidia-smi"] = err
        try:
            self.nvml = module("pynvml")
            self.nvml.nvmlInit()
            self.gpu = self.nvml.nvmlDeviceGetHandleByIndex(0)
        except Exception as err:
            self.missing["pynvml"], self.nvml = err, None
        if not self.smi and not self.nvml:
            raise Missing("there is neither nvidia-smi nor pynvml to compare with")

    def xml(self, keep=None):
        """Returns the element of the first GPU, and the whole document."""
        if not self.smi:
            return None, None
        said = self.run.call([self.smi, "-q", "-x"], 30, keep)
        try:
            document = ElementTree.fromstring(said.stdout)
        except ElementTree.ParseError as err:
            raise Missing(f"nvidia-smi -q -x: {err}: {(said.stdout or said.stderr)[:200]!r}") from None
        return document.find("gpu"), document

    def fields(self, wanted):
        """Returns those of the fields that this nvidia-smi knows."""
        if not self.smi:
            return []
        fields = list(wanted)
        while fields:
            said = self.ask(fields)
            unknown = NO_FIELD.search(said.stdout + said.stderr)
            if not unknown:
                return fields
            fields.remove(unknown[1])
        return fields

    def ask(self, fields, keep=None):
        query = [self.smi, "-i", "0", f"--query-gpu={','.join(fields)}", "--format=csv,noheader"]
        return self.run.call(query, 30, keep)

    def query(self, fields, keep=None):
        """Returns the cells of fields, with their units."""
        if not fields:
            return {}
        said = self.ask(fields, keep)
        first = said.stdout.strip().splitlines()[0] if said.stdout.strip() else ""
        return dict(zip(fields, [c.strip() for c in first.split(", ")]))

    def read(self, metric):
        """Returns what pynvml says: a number, or None and the reason."""
        try:
            return metric.nvml(self.nvml, self.gpu), ""
        except Exception as err:  # NVMLError, or a function that this pynvml lacks
            return None, str(err) or type(err).__name__


class Watch:
    """A tool of theirs that prints all the time while we read: `nvidia-smi … -lms`, or dmon."""

    def __init__(self, run, args):
        self.run, self.lines = run, []
        self.child = run.start(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        for line in self.child.stdout:
            self.lines.append(line.decode(errors="replace").rstrip("\n"))

    def end(self, keep):
        stop(self.child)
        self.thread.join(3)
        self.run.save(keep, "\n".join(self.lines) + "\n")
        return self.lines


class Dmon(Watch):
    """`nvidia-smi dmon` for some seconds: a table with the names of its columns in the first line."""

    def __init__(self, run, smi, seconds, *more):
        self.patience = 2 * seconds + 5
        super().__init__(run, [smi, "dmon", "-i", "0", "-d", "1", "-c", str(seconds), *more])

    def columns(self, keep):
        """Waits for its end, and returns the cells of each column. A "-" is none."""
        names, cells = [], {}
        try:
            self.child.wait(self.patience)
        except subprocess.TimeoutExpired:
            pass
        for line in self.end(keep):
            words = line.replace(",", " ").split()
            if words[:1] == ["#"]:
                words = words[1:]
            elif words[:1] and words[0].startswith("#"):
                words = [words[0][1:], *words[1:]]
            if words and words[0].lower() == "gpu":
                names = words
            elif len(words) == len(names) and words[0] == "0":
                for name, word in zip(names, words):
                    if word != "-":
                        cells.setdefault(name, []).append(word)
        return cells


class Poll:
    """Reads values of pynvml all the time while we read."""

    def __init__(self, tools, metrics, pause=0.1):
        self.tools, self.metrics, self.pause = tools, metrics, pause
        self.got, self.why, self.over = {}, {}, threading.Event()
        self.thread = threading.Thread(target=self.read, daemon=True)
        if tools.nvml:
            self.thread.start()

    def read(self):
        wanted = list(self.metrics)
        while wanted:
            for m in list(wanted):
                value, why = self.tools.read(m)
                if value is None:
                    self.why[m.key] = why
                    wanted.remove(m)
                else:
                    self.got.setdefault(m.key, []).append(value)
            if self.over.wait(self.pause):
                break

    def end(self):
        self.over.set()
        if self.tools.nvml:
            self.thread.join(10)
        return self.got
