"""Events: a program that writes to an address that nobody has. Its Xid, and the findings before, during and after."""

import json
import time

import loads
import ours
import table
from run import wait_for

LATE = 5  # seconds
CODES = ("Xid 31", "Xid 13")


def do(run):
    serve = ours.Serve(run, 1)
    before, gpu = ours.findings(serve.document()), serve.gpu()
    run.same("findings before", texts(before) or "none", "none of an Xid", not any(f["kind"] == "xid" for f in before))
    load = loads.start(run, "fault")
    wrote = float(load.says("wrote", 10)[0])
    failed = load.says("failed", 10)[0]
    run.measured("what CUDA says", "", failed)

    def found():
        return next((f for f in ours.findings(serve.document()) if f["kind"] == "xid"), None)

    finding = wait_for(found, LATE)
    took = time.monotonic() - wrote
    run.save("finding.json", json.dumps(finding))
    if finding is None:
        kernel = run.call(["dmesg"], 5).stdout
        run.save("dmesg.txt", kernel[-20000:])
        seen = "Xid" in kernel
        if seen or run.loads:
            expected = "an Xid in the kernel's log" if seen else "an Xid"
            run.row("the Xid", f"none after {took:.1f} s", expected, table.WRONG)
        else:
            why = f"no event of the driver within {LATE} s, and none in what we may read of the kernel's log"
            run.skip("the Xid", why)
        return
    run.same("the Xid", finding["text"], " or ".join(CODES), finding["text"].startswith(CODES))
    run.judge("seconds until it is shown", took, 0, LATE)
    run.same("GPU of the Xid", finding.get("gpu"), gpu.get("index"))
    named = str(load.pid) in finding["text"]
    run.row("PID of the program", f"PID {load.pid}" if named else "", f"PID {load.pid} (the kernel's log names it)",
            table.EQUAL if named else table.NOT_SHOWN)
    load.end()
    after = ours.findings(serve.document())
    run.same("findings after", texts(after) or "none", "the Xid, for an hour", any(f["kind"] == "xid" for f in after))
    then = serve.gpu()
    for key in ("ecc_uncorrected_volatile", "remapped_rows_uncorrectable", "remap_pending", "recovery_action"):
        if key in gpu or key in then:  # a fault of a program changes nothing here
            run.same(f"after it: {key}", then.get(key, "absent"), gpu.get(key, "absent"))
        else:
            run.skip(f"after it: {key}", "absent on this GPU")


def texts(findings):
    return "; ".join(f["text"] for f in findings)
