"""How nvnodetop is read: one document, a server that is asked, and the probe alone."""

import calendar
import http.client
import json
import os
import socket
import subprocess
import time

from run import Failed, wait_for

PAGE = os.sysconf("SC_PAGE_SIZE")
TICK = os.sysconf("SC_CLK_TCK")
REASONS = {"gpu_idle": 0x1, "applications_clocks_setting": 0x2, "sw_power_cap": 0x4, "hw_slowdown": 0x8,
           "sync_boost": 0x10, "sw_thermal_slowdown": 0x20, "hw_thermal_slowdown": 0x40,
           "hw_power_brake_slowdown": 0x80, "display_clock_setting": 0x100}
HERE = ["--transport", "local"]


def document(run, keep="ours.json"):
    """Returns the document of `nvnodetop --json`."""
    said = run.call([run.program, "--json", *HERE], 30, keep)
    try:
        return json.loads(said.stdout)
    except ValueError:
        raise Failed(f"nvnodetop --json (status {said.returncode}): {said.stderr.strip()[:300]}") from None


def node(document):
    nodes = document.get("nodes") or [{}]
    return nodes[0]


def gpu(document):
    """Returns the first GPU of the node, with its lists as bits, as their tools have them."""
    gpus = node(document).get("gpus")
    if not gpus:
        raise Failed(f"nvnodetop shows no GPU here: {node(document)}"[:300])
    first = dict(gpus[0])
    if "throttle_reasons" in first:
        first["throttle_reasons"] = sum(REASONS.get(name) or int(name, 16) for name in first["throttle_reasons"])
    if "nvlink_up" in first:
        first["nvlink_up"] = sum(1 << link for link in first["nvlink_up"])
    return first


def seconds_of(moment):
    """Returns a time of our documents, as 2026-11-27T02:16:07.123456789Z, in seconds since 1970."""
    whole = calendar.timegm(time.strptime(moment[:19], "%Y-%m-%dT%H:%M:%S"))
    return whole + float("0" + moment[19:].rstrip("Z"))


def findings(document):
    return [f for job in document.get("jobs", []) for f in job.get("findings", [])]


class Connection(http.client.HTTPConnection):
    """HTTP over a socket of this user."""

    def __init__(self, path):
        super().__init__("localhost", timeout=10)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(10)
        self.sock.connect(self.path)


class Serve:
    """`nvnodetop serve`, polled at an interval."""

    def __init__(self, run, poll):
        self.path = f"/tmp/realgpu-{os.getpid()}-{time.monotonic_ns()}.sock"  # paths of sockets are short
        self.child = run.start([run.program, "serve", "--listen", f"unix:{self.path}", *HERE, str(poll)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

        def answers():
            if self.child.poll() is not None:
                return True
            try:
                return node(self.document()).get("gpus")
            except (OSError, http.client.HTTPException, ValueError):
                return None

        if not wait_for(answers, 15) or self.child.poll() is not None:
            self.child.kill()
            raise Failed(f"nvnodetop serve: {self.child.stderr.read().decode(errors='replace').strip()[:300]}")

    def document(self):
        connection = Connection(self.path)
        try:
            connection.request("GET", "/api/v1/snapshot")
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def gpu(self):
        return gpu(self.document())

    def watch(self, seconds, pause=1.0):
        """Returns the first GPU once in each interval, for a time, with the moment of each sample in seconds."""
        seen, late = [], time.monotonic() + seconds
        while time.monotonic() < late:
            document = self.document()
            seen.append((seconds_of(document["time"]) - node(document).get("age_seconds", 0), gpu(document)))
            time.sleep(pause)
        return seen

    def probe(self):
        """Returns the PID of its probe."""
        return next(iter(children(self.child.pid)), None)


class Probe:
    """A probe alone, asked for reports at an interval, with the processes in each."""

    def __init__(self, run, program, interval, env=None):
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        self.child = run.start([program, "probe"], env={**os.environ, **(env or {})}, **pipes)
        self.ask({"id": 1, "pace": {"interval_ms": int(interval * 1000), "processes": True}})

    def ask(self, request):
        self.child.stdin.write(json.dumps(request).encode() + b"\n")
        self.child.stdin.flush()

    def reports(self, count):
        """Returns the next reports; a Hello before them is left out."""
        got = []
        while len(got) < count:
            line = self.child.stdout.readline()
            if not line:
                raise Failed(f"the probe ended: {self.child.stderr.read().decode(errors='replace').strip()[:300]}")
            if line.startswith(b'{"report"'):
                got.append(json.loads(line)["report"])
        return got

    def end(self):
        self.child.stdin.close()
        self.child.wait(5)


def children(pid):
    """Returns the PIDs of the children of a process."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if stat(int(entry))[1] == str(pid):
                    found.append(int(entry))
            except OSError:
                pass
    return found


def stat(pid):
    """Returns the fields of /proc/PID/stat from the third on."""
    with open(f"/proc/{pid}/stat") as f:
        return f.read().rpartition(")")[2].split()


def cpu_seconds(pid):
    fields = stat(pid)
    return (int(fields[11]) + int(fields[12])) / TICK


def memory(pid):
    """Returns the resident memory of a process now and at its peak, in bytes."""
    with open(f"/proc/{pid}/status") as f:
        lines = dict(line.split(":", 1) for line in f if ":" in line)
    return [int(lines[key].split()[0]) * 1024 for key in ("VmRSS", "VmHWM")]
