package arch

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/nvnodetop/nvnodetop"

// allowed lists which packages of this module each package may import; docs/PACKAGES.md is made from it. A package that
// is missing here fails.
var allowed = map[string][]string{
	"cmd/nvnodetop":       {"internal/app", "internal/build", "internal/probe", "internal/probe/nvml"},
	"cmd/nvnodetop-probe": {"internal/build", "internal/probe", "internal/probe/nvml"},
	"internal/access": {"internal/build", "internal/cluster", "internal/config", "internal/joblog", "internal/poller",
		"internal/reach", "internal/remote", "internal/remote/agent", "internal/remote/auto", "internal/remote/control",
		"internal/remote/local", "internal/remote/openssh", "internal/remote/srun", "internal/remote/ssh",
		"internal/slurm", "internal/slurm/command", "internal/slurm/hostlist", "internal/source", "internal/wire"},
	"internal/app": {"internal/app/available", "internal/app/cli", "internal/app/doctor", "internal/app/feed",
		"internal/app/list", "internal/app/logs", "internal/app/mark", "internal/app/record", "internal/app/replay",
		"internal/app/report", "internal/app/scalars", "internal/app/screen", "internal/app/selection",
		"internal/app/serve", "internal/app/settings", "internal/app/snapshot",
		"internal/app/track", "internal/app/watch", "internal/build", "internal/cluster", "internal/config", "internal/report/output",
		"internal/ui/draw"},
	"internal/app/available": {"internal/access", "internal/app/cli", "internal/app/feed", "internal/capacity",
		"internal/cluster", "internal/slurm/supply", "internal/vacancy"},
	"internal/app/cli": {"internal/access", "internal/build", "internal/config", "internal/field", "internal/filter",
		"internal/remote/agent", "internal/remote/ssh", "internal/report", "internal/report/output", "internal/text",
		"internal/ui", "internal/ui/draw"},
	"internal/app/doctor": {"internal/access", "internal/app/cli", "internal/app/feed", "internal/build",
		"internal/config", "internal/doctor", "internal/health", "internal/remote/auto", "internal/slurm",
		"internal/source"},
	"internal/app/feed": {"internal/access", "internal/app/cli", "internal/bell", "internal/cluster",
		"internal/cluster/history", "internal/config", "internal/demo", "internal/health/say", "internal/joblog",
		"internal/mark", "internal/poller", "internal/reach", "internal/remote/agent", "internal/remote/ssh",
		"internal/session", "internal/slurm", "internal/slurm/command", "internal/source", "internal/tally",
		"internal/ui", "internal/ui/draw", "internal/wire"},
	"internal/app/feedtest": {"internal/build", "internal/capacity", "internal/cluster", "internal/cluster/store",
		"internal/demo", "internal/health", "internal/joblog", "internal/metric", "internal/poller", "internal/reach",
		"internal/recording", "internal/session", "internal/wire"},
	"internal/app/list": {"internal/access", "internal/app/cli", "internal/app/feed", "internal/cluster",
		"internal/config", "internal/vacancy"},
	"internal/app/logs": {"internal/access", "internal/app/cli", "internal/app/feed", "internal/cluster",
		"internal/config", "internal/demo", "internal/joblog", "internal/reach", "internal/slurm", "internal/wire"},
	"internal/app/news": {"internal/access", "internal/cluster", "internal/config", "internal/notify",
		"internal/notify/ways", "internal/session"},
	"internal/app/mark": {"internal/app/cli", "internal/cluster", "internal/config", "internal/mark"},
	"internal/app/record": {"internal/access", "internal/app/cli", "internal/app/feed", "internal/build",
		"internal/cluster", "internal/config", "internal/mark", "internal/recording", "internal/report",
		"internal/session", "internal/ui/draw"},
	"internal/app/replay": {"internal/app/cli", "internal/app/feed", "internal/app/report", "internal/app/screen",
		"internal/app/selection", "internal/app/snapshot", "internal/capacity", "internal/cluster",
		"internal/cluster/store", "internal/health", "internal/joblog", "internal/recording",
		"internal/report/output", "internal/ui", "internal/ui/tape", "internal/wire"},
	"internal/app/report": {"internal/access", "internal/app/cli", "internal/app/feed", "internal/app/record",
		"internal/cluster", "internal/config", "internal/health", "internal/recording", "internal/report",
		"internal/report/books", "internal/report/compare", "internal/report/cost", "internal/report/output",
		"internal/session", "internal/slurm", "internal/slurm/sacct", "internal/text/safe", "pkg/report"},
	"internal/app/scalars": {"internal/access", "internal/app/cli", "internal/app/feed", "internal/cluster",
		"internal/scalars"},
	"internal/app/screen": {"internal/app/cli", "internal/app/feed", "internal/app/news", "internal/app/record",
		"internal/app/selection", "internal/attached", "internal/bell", "internal/build", "internal/cluster",
		"internal/cluster/store", "internal/config", "internal/session", "internal/ui", "internal/ui/part",
		"internal/ui/settings", "internal/ui/terminal"},
	"internal/app/selection": {"internal/access", "internal/app/cli", "internal/cluster", "internal/config",
		"internal/filter", "internal/rows", "internal/tally", "internal/wire"},
	"internal/app/serve": {"internal/access", "internal/app/cli", "internal/app/feed", "internal/app/record",
		"internal/app/snapshot", "internal/cluster", "internal/config", "internal/export", "internal/joblog",
		"internal/session", "internal/tally", "internal/web"},
	"internal/app/settings": {"internal/app/cli", "internal/build", "internal/config", "internal/remote/probes"},
	"internal/app/snapshot": {"internal/app/cli", "internal/app/feed", "internal/app/selection", "internal/cluster",
		"internal/export", "internal/text/safe", "internal/ui", "internal/ui/part", "internal/ui/printout",
		"internal/wire", "pkg/schema"},
	"internal/app/track": {"internal/access", "internal/app/cli", "internal/app/feed", "internal/app/record",
		"internal/app/report", "internal/cluster", "internal/config", "internal/health", "internal/mark",
		"internal/poller", "internal/remote/local", "internal/report", "internal/report/output", "internal/session",
		"internal/source", "internal/track", "internal/track/child", "internal/wire"},
	"internal/app/watch": {"internal/access", "internal/app/cli", "internal/app/feed", "internal/app/news",
		"internal/cluster", "internal/config", "internal/notify", "internal/notify/ways", "internal/slurm/sacct",
		"internal/text/safe", "internal/ui/terminal"},
	"internal/arch":     {},
	"internal/attached": {},
	"internal/bell":     {},
	"internal/build":    {},
	"internal/capacity": {"internal/slurm/supply", "internal/text", "internal/text/safe"},
	"internal/cluster": {"internal/cluster/history", "internal/fill", "internal/metric", "internal/pace",
		"internal/reach", "internal/wire"},
	"internal/cluster/clean": {"internal/cluster", "internal/metric", "internal/reach", "internal/text/safe",
		"internal/wire"},
	"internal/cluster/history": {"internal/metric"},
	"internal/cluster/store": {"internal/cluster", "internal/cluster/clean", "internal/cluster/history",
		"internal/metric", "internal/pace", "internal/reach", "internal/text/safe", "internal/wire"},
	"internal/columns": {"internal/field", "internal/rows"},
	"internal/config": {"internal/cluster/history", "internal/columns", "internal/health", "internal/notify",
		"internal/report/cost", "internal/text"},
	"internal/demo": {"internal/bell", "internal/capacity", "internal/cluster", "internal/demo/joblog",
		"internal/demo/load", "internal/demo/process", "internal/demo/site", "internal/joblog", "internal/metric",
		"internal/reach", "internal/wire"},
	"internal/demo/joblog":  {"internal/joblog", "internal/wire"},
	"internal/demo/process": {"internal/wire", "pkg/schema"},
	"internal/demo/load":    {},
	"internal/demo/site":    {"internal/capacity", "internal/cluster", "internal/slurm/gres", "internal/slurm/supply"},
	"internal/dense":        {},
	"internal/doctor": {"internal/cluster", "internal/poller", "internal/reach", "internal/remote",
		"internal/remote/auto", "internal/slurm", "internal/slurm/command", "internal/text", "internal/text/safe",
		"internal/ui/draw", "internal/wire"},
	"internal/export": {"internal/cluster", "internal/field", "internal/health/say", "internal/metric",
		"internal/reach", "internal/tally", "internal/text", "internal/trend", "internal/wire", "pkg/schema"},
	"internal/field":  {},
	"internal/fill":   {},
	"internal/filter": {"internal/field", "internal/text"},
	"internal/health": {"internal/cluster", "internal/health/signs", "internal/health/xid", "internal/metric",
		"internal/pace", "internal/reach", "internal/wire"},
	"internal/health/say": {"internal/cluster", "internal/health/signs", "internal/health/xid", "internal/metric",
		"internal/pace", "internal/reach", "internal/text", "internal/wire"},
	"internal/health/signs": {"internal/cluster", "internal/metric", "internal/wire"},
	"internal/health/xid":   {"internal/cluster"},
	"internal/joblog":       {"internal/cluster", "internal/joblog/tail", "internal/text/safe", "internal/wire"},
	"internal/joblog/tail":  {"internal/wire"},
	"internal/mark":         {"internal/cluster", "internal/cluster/clean", "pkg/report"},
	"internal/metric":       {},
	"internal/nccl/ask":     {"internal/cluster", "internal/nccl", "internal/tally", "internal/text/safe", "internal/wire"},
	"internal/nccl/say":     {"internal/nccl"},
	"internal/nccl":         {"internal/text/safe", "internal/wire"},
	"internal/notify":       {"internal/cluster", "internal/health/say", "internal/metric", "internal/tally"},
	"internal/notify/ways":  {"internal/cluster", "internal/notify", "internal/text", "internal/text/safe"},
	"internal/pace":         {"internal/metric"},
	"internal/poller":       {"internal/bell", "internal/cluster", "internal/quiet", "internal/reach", "internal/wire"},
	"internal/probe": {"internal/joblog/tail", "internal/probe/act", "internal/probe/clock", "internal/probe/driver",
		"internal/probe/gpus", "internal/probe/host", "internal/probe/launch", "internal/probe/procs",
		"internal/probe/ras", "internal/probe/sample", "internal/probe/stacks", "internal/probe/stuck",
		"internal/wire"},
	"internal/probe/act":      {"internal/probe/proc", "internal/wire"},
	"internal/probe/clock":    {},
	"internal/probe/driver":   {"internal/metric", "internal/probe/xid", "internal/wire"},
	"internal/probe/fakeproc": {},
	"internal/probe/gpus": {"internal/metric", "internal/probe/clock", "internal/probe/driver", "internal/probe/sample",
		"internal/probe/stuck", "internal/probe/xid", "internal/wire"},
	"internal/probe/host":   {"internal/metric", "internal/probe/launch", "internal/probe/proc", "internal/wire"},
	"internal/probe/launch": {"internal/probe/proc", "internal/wire"},
	"internal/probe/memory": {},
	"internal/probe/nvml":   {"internal/metric", "internal/probe/driver", "internal/probe/xid", "internal/wire"},
	"internal/probe/proc":   {},
	"internal/probe/procs": {"internal/metric", "internal/probe/clock", "internal/probe/driver", "internal/probe/host",
		"internal/probe/launch", "internal/probe/proc", "internal/probe/sample", "internal/text", "internal/wire",
		"pkg/schema"},
	"internal/probe/python": {"internal/probe/memory", "internal/wire"},
	"internal/probe/ras":    {"internal/probe/proc", "internal/wire"},
	"internal/probe/sample": {"internal/probe/clock", "internal/wire"},
	"internal/probe/stacks": {"internal/probe/memory", "internal/probe/proc", "internal/probe/python", "internal/text",
		"internal/wire"},
	"internal/probe/stuck": {},
	"internal/probe/xid":   {"internal/wire"},
	"internal/quiet":       {},
	"internal/reach":       {},
	"internal/recording": {"internal/cluster", "internal/cluster/store", "internal/dense", "internal/metric",
		"internal/reach", "internal/recording/firstseen", "internal/recording/mask", "internal/wire"},
	"internal/recording/firstseen": {"internal/cluster"},
	"internal/recording/mask":      {"internal/cluster", "internal/metric", "internal/reach", "internal/wire"},
	"internal/remote": {"internal/poller", "internal/reach", "internal/remote/install", "internal/remote/link",
		"internal/remote/probes", "internal/remote/smi", "internal/text", "internal/wire"},
	"internal/remote/agent": {"internal/bell", "internal/metric", "internal/poller", "internal/reach", "internal/text",
		"internal/wire"},
	"internal/remote/auto":    {"internal/poller", "internal/reach", "internal/remote", "internal/wire"},
	"internal/remote/control": {"internal/reach", "internal/remote", "internal/remote/ssh/sshconn"},
	"internal/remote/hostkey": {"internal/text"},
	"internal/remote/install": {"internal/remote/link", "internal/text"},
	"internal/remote/link":    {"internal/quiet", "internal/reach", "internal/text", "internal/wire"},
	"internal/remote/local":   {"internal/reach", "internal/remote", "internal/remote/link", "internal/remote/probes"},
	"internal/remote/openssh": {"internal/reach", "internal/remote", "internal/remote/install", "internal/remote/link",
		"internal/remote/ssh/advice", "internal/text"},
	"internal/remote/probes":   {"internal/remote/install"},
	"internal/remote/proxy":    {"internal/text"},
	"internal/remote/settings": {"internal/reach", "internal/remote", "internal/text"},
	"internal/remote/smi": {"internal/metric", "internal/remote/install", "internal/remote/link", "internal/text",
		"internal/wire"},
	"internal/remote/srun": {"internal/reach", "internal/remote", "internal/remote/link", "internal/text",
		"internal/wire"},
	"internal/remote/ssh": {"internal/reach", "internal/remote", "internal/remote/hostkey", "internal/remote/link",
		"internal/remote/proxy", "internal/remote/settings", "internal/remote/ssh/advice",
		"internal/remote/ssh/keyfile", "internal/remote/ssh/secrets", "internal/remote/ssh/sshconn", "internal/text"},
	"internal/remote/ssh/advice": {"internal/reach", "internal/remote", "internal/remote/hostkey",
		"internal/remote/link", "internal/remote/proxy", "internal/text"},
	"internal/remote/ssh/keyfile": {},
	"internal/remote/ssh/secrets": {"internal/remote/ssh/keyfile"},
	"internal/remote/ssh/sshconn": {"internal/reach", "internal/remote", "internal/remote/install",
		"internal/remote/link", "internal/remote/ssh/advice"},
	"internal/report": {"internal/cluster", "internal/cluster/store", "internal/health/say", "internal/mark",
		"internal/metric", "internal/report/advice", "internal/report/words", "internal/wire", "pkg/report"},
	"internal/report/advice": {"internal/report/words", "pkg/report"},
	"internal/report/books": {"internal/report/advice", "internal/report/words", "internal/slurm/hostlist",
		"internal/slurm/sacct", "internal/text/safe", "pkg/report"},
	"internal/report/compare": {"pkg/report"},
	"internal/report/cost":    {"pkg/report"},
	"internal/report/output":  {"internal/report/compare", "internal/report/words", "internal/text", "pkg/report"},
	"internal/report/words":   {},
	"internal/rows": {"internal/capacity", "internal/cluster", "internal/field", "internal/health/say",
		"internal/metric", "internal/tally", "internal/wire"},
	"internal/scalars": {"internal/cluster", "internal/mark", "internal/metric", "internal/tally", "internal/text",
		"internal/wire"},
	"internal/session": {"internal/bell", "internal/cluster", "internal/cluster/store", "internal/config",
		"internal/health", "internal/reach", "internal/source", "internal/tally"},
	"internal/slurm": {"internal/cluster", "internal/reach", "internal/slurm/command", "internal/slurm/gres",
		"internal/slurm/hostlist", "internal/slurm/sacct", "internal/slurm/supply"},
	"internal/slurm/command":  {"internal/reach", "internal/text"},
	"internal/slurm/gres":     {"internal/slurm/hostlist"},
	"internal/slurm/hostlist": {},
	"internal/slurm/sacct":    {"internal/reach", "internal/slurm/command", "internal/slurm/gres", "internal/text"},
	"internal/slurm/supply": {"internal/reach", "internal/slurm/command", "internal/slurm/gres",
		"internal/slurm/hostlist"},
	"internal/source": {"internal/bell", "internal/capacity", "internal/cluster", "internal/cluster/store",
		"internal/joblog", "internal/poller", "internal/reach", "internal/slurm", "internal/slurm/command",
		"internal/slurm/supply", "internal/wire"},
	"internal/stacks":    {"internal/cluster", "internal/tally", "internal/text/safe", "internal/wire", "pkg/schema"},
	"internal/tally":     {"internal/cluster", "internal/cluster/history", "internal/metric", "internal/wire"},
	"internal/text":      {},
	"internal/text/safe": {"internal/text"},
	"internal/track": {"internal/cluster", "internal/mark", "internal/metric", "internal/probe/host", "internal/wire",
		"pkg/report"},
	"internal/track/child": {"internal/track"},
	"internal/trend":       {"internal/cluster", "internal/cluster/history", "internal/metric"},
	"internal/ui": {"internal/capacity", "internal/cluster", "internal/columns", "internal/filter",
		"internal/joblog", "internal/tally", "internal/ui/capacity", "internal/ui/connection", "internal/ui/draw",
		"internal/ui/find", "internal/ui/footer", "internal/ui/gpu", "internal/ui/header", "internal/ui/hint",
		"internal/ui/joblog", "internal/ui/keys", "internal/ui/lists", "internal/ui/lookback", "internal/ui/nav",
		"internal/ui/node", "internal/ui/nojobs", "internal/ui/overview", "internal/ui/palette", "internal/ui/part",
		"internal/ui/process", "internal/ui/prompt", "internal/ui/settings", "internal/ui/stacks", "internal/ui/tape",
		"internal/ui/terminal", "internal/wire"},
	"internal/ui/capacity": {"internal/capacity", "internal/cluster", "internal/reach", "internal/rows",
		"internal/ui/draw", "internal/ui/header", "internal/ui/keys", "internal/ui/list", "internal/ui/nav",
		"internal/ui/part", "internal/ui/prompt", "internal/ui/table"},
	"internal/ui/connection": {"internal/cluster", "internal/metric", "internal/reach", "internal/tally",
		"internal/ui/draw", "internal/ui/footer", "internal/ui/header", "internal/ui/hint", "internal/ui/keys",
		"internal/ui/nav", "internal/ui/part", "internal/ui/problem"},
	"internal/ui/detail": {"internal/cluster", "internal/tally", "internal/ui/draw", "internal/ui/gpu",
		"internal/ui/inspect", "internal/ui/node", "internal/ui/part"},
	"internal/ui/draw": {"internal/text"},
	"internal/ui/find": {"internal/cluster", "internal/tally", "internal/ui/draw", "internal/ui/keys",
		"internal/ui/lists", "internal/ui/nav", "internal/ui/palette", "internal/ui/part", "internal/ui/settings",
		"internal/wire"},
	"internal/ui/footer": {"internal/ui/draw", "internal/ui/keys", "internal/ui/part"},
	"internal/ui/gpu": {"internal/cluster", "internal/metric", "internal/tally", "internal/ui/connection",
		"internal/ui/draw", "internal/ui/footer", "internal/ui/graph", "internal/ui/header", "internal/ui/hint",
		"internal/ui/keys", "internal/ui/nav", "internal/ui/part", "internal/ui/problem", "internal/ui/table",
		"internal/wire"},
	"internal/ui/graph": {"internal/cluster", "internal/cluster/history", "internal/health/say", "internal/metric",
		"internal/tally", "internal/trend", "internal/ui/draw", "internal/ui/part", "internal/wire"},
	"internal/ui/header": {"internal/cluster", "internal/health/say", "internal/tally", "internal/ui/draw",
		"internal/ui/keys", "internal/ui/part", "internal/ui/problem"},
	"internal/ui/hint": {"internal/cluster", "internal/ui/footer", "internal/ui/keys", "internal/ui/part"},
	"internal/ui/inspect": {"internal/cluster", "internal/cluster/history", "internal/field", "internal/metric",
		"internal/rows", "internal/tally", "internal/text/safe", "internal/ui/draw", "internal/ui/footer",
		"internal/ui/graph", "internal/ui/header", "internal/ui/keys", "internal/ui/nav", "internal/ui/part",
		"internal/ui/prompt", "internal/ui/table", "internal/wire"},
	"internal/ui/joblog": {"internal/joblog", "internal/text/safe", "internal/ui/draw", "internal/ui/footer",
		"internal/ui/header", "internal/ui/hint", "internal/ui/keys", "internal/ui/nav", "internal/ui/part",
		"internal/ui/prompt", "internal/wire"},
	"internal/ui/keys": {"internal/rows"},
	"internal/ui/layout": {"internal/columns", "internal/field", "internal/metric", "internal/ui/draw",
		"internal/ui/part"},
	"internal/ui/list": {"internal/field", "internal/filter", "internal/ui/draw", "internal/ui/footer",
		"internal/ui/hint", "internal/ui/keys", "internal/ui/nav", "internal/ui/part", "internal/ui/prompt"},
	"internal/ui/lists": {"internal/cluster", "internal/field", "internal/rows", "internal/tally", "internal/ui/detail",
		"internal/ui/draw", "internal/ui/header", "internal/ui/keys", "internal/ui/list", "internal/ui/nav",
		"internal/ui/overview", "internal/ui/part", "internal/ui/problem", "internal/ui/prompt", "internal/ui/table",
		"internal/wire"},
	"internal/ui/lookback": {"internal/cluster", "internal/ui/draw"},
	"internal/ui/naming":   {"internal/ui/draw"},
	"internal/ui/nav":      {"internal/capacity", "internal/joblog", "internal/ui/keys", "internal/wire"},
	"internal/ui/node": {"internal/cluster", "internal/filter", "internal/metric", "internal/rows", "internal/tally",
		"internal/ui/connection", "internal/ui/draw", "internal/ui/footer", "internal/ui/graph", "internal/ui/header",
		"internal/ui/hint", "internal/ui/keys", "internal/ui/nav", "internal/ui/part", "internal/ui/problem",
		"internal/ui/prompt", "internal/ui/table", "internal/wire"},
	"internal/ui/nojobs": {"internal/ui/draw", "internal/ui/footer", "internal/ui/header", "internal/ui/hint",
		"internal/ui/keys", "internal/ui/nav", "internal/ui/part", "internal/ui/table"},
	"internal/ui/overview": {"internal/cluster", "internal/rows", "internal/tally", "internal/ui/detail",
		"internal/ui/draw", "internal/ui/footer", "internal/ui/graph", "internal/ui/header", "internal/ui/hint",
		"internal/ui/keys", "internal/ui/list", "internal/ui/naming", "internal/ui/nav", "internal/ui/part",
		"internal/ui/problem", "internal/ui/prompt", "internal/ui/table"},
	"internal/ui/part": {"internal/cluster", "internal/columns", "internal/filter", "internal/health/say",
		"internal/joblog", "internal/metric", "internal/rows", "internal/tally", "internal/ui/draw",
		"internal/ui/naming"},
	"internal/ui/printout": {"internal/cluster", "internal/columns", "internal/filter", "internal/tally",
		"internal/ui/connection", "internal/ui/draw", "internal/ui/header", "internal/ui/node", "internal/ui/nojobs",
		"internal/ui/overview", "internal/ui/part", "internal/ui/table"},
	"internal/ui/problem": {"internal/cluster", "internal/health/say", "internal/health/xid", "internal/tally",
		"internal/ui/draw", "internal/ui/part"},
	"internal/ui/process": {"internal/cluster", "internal/columns", "internal/filter", "internal/rows",
		"internal/tally", "internal/text/safe", "internal/ui/detail", "internal/ui/draw", "internal/ui/footer",
		"internal/ui/header", "internal/ui/inspect", "internal/ui/keys", "internal/ui/list", "internal/ui/nav",
		"internal/ui/part", "internal/ui/problem", "internal/ui/prompt", "internal/ui/signal", "internal/ui/table",
		"internal/wire"},
	"internal/ui/prompt": {"internal/filter", "internal/ui/draw", "internal/ui/footer", "internal/ui/keys",
		"internal/ui/part"},
	"internal/ui/palette": {"internal/ui/draw", "internal/ui/footer", "internal/ui/keys", "internal/ui/nav",
		"internal/ui/part", "internal/ui/prompt"},
	"internal/ui/settings": {"internal/columns", "internal/ui/draw", "internal/ui/footer", "internal/ui/header",
		"internal/ui/keys", "internal/ui/nav", "internal/ui/part"},
	"internal/ui/signal": {"internal/cluster", "internal/reach", "internal/tally", "internal/text/safe",
		"internal/ui/draw", "internal/ui/keys", "internal/ui/nav", "internal/ui/part", "internal/wire"},
	"internal/ui/stacks": {"internal/stacks", "internal/ui/draw", "internal/ui/footer", "internal/ui/header",
		"internal/ui/hint", "internal/ui/keys", "internal/ui/nav", "internal/ui/part", "pkg/schema"},
	"internal/ui/table": {"internal/capacity", "internal/cluster", "internal/columns", "internal/field",
		"internal/metric", "internal/rows", "internal/tally", "internal/trend", "internal/ui/draw",
		"internal/ui/graph", "internal/ui/layout", "internal/ui/part", "internal/ui/problem", "internal/wire"},
	"internal/ui/tape":     {"internal/ui/draw", "internal/ui/footer", "internal/ui/keys", "internal/ui/part"},
	"internal/ui/terminal": {"internal/bell", "internal/text/safe", "internal/ui/draw", "internal/ui/keys"},
	"internal/vacancy": {"internal/capacity", "internal/cluster", "internal/field", "internal/metric", "internal/rows",
		"internal/tally", "internal/text", "internal/ui/draw", "internal/wire"},
	"internal/web": {"internal/bell", "internal/cluster", "internal/export", "internal/joblog", "internal/text/safe",
		"internal/vacancy", "internal/wire"},
	"internal/wire": {"internal/field", "internal/metric", "pkg/schema"},
	"examples/idle": {"pkg/nvnodetop", "pkg/schema"},
	"pkg/nvnodetop": {"internal/access", "internal/build", "internal/cluster", "internal/config", "internal/demo",
		"internal/export", "internal/health", "internal/poller", "internal/probe", "internal/probe/nvml",
		"internal/remote/ssh", "internal/report", "internal/session", "internal/slurm", "internal/slurm/command",
		"internal/wire", "pkg/report", "pkg/schema"},
	"pkg/report": {}, // enough to read a document, and nothing that reaches a node
	"pkg/schema": {"internal/metric"},
	"test/ask": {"internal/cluster", "internal/poller", "internal/probe", "internal/probe/nvml", "internal/remote",
		"internal/remote/ssh", "internal/slurm", "internal/slurm/command", "internal/wire"},
	"test/bench":       {"test/bench/rig", "test/bench/scale", "test/bench/soak", "test/term"},
	"test/bench/rig":   {"test/term"},
	"test/bench/scale": {"test/bench/rig", "test/fleet", "test/term"},
	"test/bench/soak":  {"test/bench/rig", "test/term"},
	"test/chromium":    {},
	"test/cluster":     {},
	"test/cost":        {},
	"test/counts":      {},
	"test/demolines":   {"internal/cluster", "internal/demo", "internal/wire"},
	"test/fakeprobe":   {"internal/wire"},
	"test/fleet":       {"internal/demo", "internal/metric", "internal/wire"},
	"test/fleetd":      {"test/fleet"},
	"test/golden":      {},
	"test/heed":        {},
	"test/leaks":       {},
	"test/pastgpu":     {"internal/cluster", "internal/metric", "internal/wire"},
	"test/picture":     {},
	"test/raced":       {},
	"test/ras":         {},
	"test/same":        {"internal/cluster/history", "internal/metric"},
	"test/shapes": {"internal/cluster", "internal/cluster/store", "internal/health", "internal/health/say",
		"internal/metric", "internal/wire"},
	"test/soak":        {},
	"test/sshd":        {},
	"test/term":        {},
	"test/valid":       {},
	"test/watchdog":    {},
	"test/webpictures": {"test/chromium"},
}

// only lists packages from outside that only a few packages may import.
var only = map[string][]string{
	// no package that handles keys or answers of the user
	"log/slog": {"internal/access", "internal/app", "internal/app/available", "internal/app/cli", "internal/app/doctor",
		"internal/app/feed", "internal/app/list", "internal/app/logs", "internal/app/record", "internal/app/report",
		"internal/app/scalars", "internal/app/serve", "internal/app/snapshot",
		"internal/app/track", "internal/app/watch", "internal/poller", "internal/slurm/command"},
	// too large for a probe
	"github.com/go-json-experiment/json": {"internal/recording", "internal/remote/link"},
	"charm.land/bubbles/v2/key": {"internal/ui", "internal/ui/capacity", "internal/ui/connection", "internal/ui/gpu",
		"internal/ui/inspect", "internal/ui/joblog", "internal/ui/keys", "internal/ui/list", "internal/ui/lists", "internal/ui/nav", "internal/ui/node",
		"internal/ui/overview", "internal/ui/palette", "internal/ui/process", "internal/ui/prompt",
		"internal/ui/settings", "internal/ui/signal", "internal/ui/stacks", "internal/ui/tape", "internal/ui/terminal"},
	"charm.land/bubbles/v2/textinput": {"internal/ui/prompt"},
	"charm.land/bubbletea/v2": {"internal/ui", "internal/ui/capacity", "internal/ui/connection", "internal/ui/gpu",
		"internal/ui/inspect", "internal/ui/joblog", "internal/ui/keys", "internal/ui/list", "internal/ui/lists",
		"internal/ui/nav",
		"internal/ui/node", "internal/ui/nojobs", "internal/ui/overview", "internal/ui/palette",
		"internal/ui/process", "internal/ui/prompt", "internal/ui/settings", "internal/ui/signal",
		"internal/ui/stacks", "internal/ui/tape", "internal/ui/terminal"},
	"charm.land/lipgloss/v2":                    {"internal/ui/draw"},
	"github.com/NVIDIA/go-nvml/pkg/nvml":        {"internal/probe/nvml"},
	"github.com/alecthomas/participle/v2/lexer": {"internal/filter"},
	"github.com/klauspost/compress/zstd":        {"internal/recording"},
	"github.com/kevinburke/ssh_config":          {"internal/remote/settings"},
	"github.com/pelletier/go-toml/v2":           {"internal/config"},
	"github.com/pelletier/go-toml/v2/unstable":  {"internal/config"},
	"github.com/sahilm/fuzzy":                   {"internal/ui/palette"},
	"github.com/spf13/cobra": {"internal/app", "internal/app/available", "internal/app/mark", "internal/app/cli",
		"internal/app/doctor",
		"internal/app/list", "internal/app/logs", "internal/app/record", "internal/app/replay", "internal/app/report",
		"internal/app/scalars", "internal/app/serve", "internal/app/settings", "internal/app/snapshot",
		"internal/app/track", "internal/app/watch"},
	"github.com/spf13/pflag": {"internal/app", "internal/app/available", "internal/app/cli", "internal/app/list",
		"internal/app/record", "internal/app/report", "internal/app/scalars", "internal/app/selection",
		"internal/app/snapshot", "internal/app/track", "internal/app/watch"},
	"golang.org/x/crypto/ssh": {"internal/remote/control", "internal/remote/hostkey", "internal/remote/ssh",
		"internal/remote/ssh/advice", "internal/remote/ssh/keyfile", "internal/remote/ssh/secrets",
		"internal/remote/ssh/sshconn", "test/fleet", "test/sshd"},
	"net/http": {"internal/app/serve", "internal/notify/ways", "internal/remote/agent", "internal/web",
		"test/bench"},
	"os/exec": {"internal/notify/ways", "internal/remote/local", "internal/remote/openssh",
		"internal/remote/proxy", "internal/remote/settings", "internal/remote/srun", "internal/remote/ssh",
		"internal/slurm", "internal/slurm/command", "internal/track/child", "test/bench", "test/bench/rig",
		"test/bench/scale", "test/bench/soak", "test/chromium", "test/sshd", "test/term"},
}

type pkg struct {
	ImportPath string
	Name       string
	Doc        string
	Imports    []string
}

// packages lists the packages of this module, with and without cgo: the imports of both builds count.
func packages(t *testing.T) map[string]*pkg {
	t.Helper()
	out := map[string]*pkg{}
	for _, cgo := range []string{"1", "0"} {
		cmd := exec.CommandContext(t.Context(), "go", "list", "-pgo=off", "-json=ImportPath,Name,Doc,Imports", "./...")
		cmd.Dir = "../.."
		cmd.Env = append(cmd.Environ(), "CGO_ENABLED="+cgo)
		text, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		for d := json.NewDecoder(strings.NewReader(string(text))); ; {
			var p pkg
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimPrefix(p.ImportPath, module+"/")
			if have := out[name]; have != nil {
				p.Imports = append(p.Imports, have.Imports...)
			}
			out[name] = &p
		}
	}
	return out
}

func TestImports(t *testing.T) {
	for name, p := range packages(t) {
		rule, known := allowed[name]
		if !known {
			t.Errorf("%s is not in the table of allowed imports", name)
			continue
		}
		for _, imp := range p.Imports {
			if ours, ok := strings.CutPrefix(imp, module+"/"); ok && !slices.Contains(rule, ours) {
				t.Errorf("%s imports %s, which the table does not allow", name, ours)
			}
			if who, restricted := only[imp]; restricted && !slices.Contains(who, name) {
				t.Errorf("%s imports %s, which only %s may", name, imp, strings.Join(who, ", "))
			}
		}
	}
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	for name, p := range packages(t) {
		want := "Package " + path.Base(name) + " "
		if p.Name == "main" {
			want = "Command " + path.Base(name) + " "
		}
		if !strings.HasPrefix(p.Doc, want) {
			t.Errorf("%s: its doc comment begins with %q, want %q", name, firstWords(p.Doc), want)
		}
	}
}

func firstWords(s string) string { return s[:min(len(s), 40)] }
