package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/nvnodetop/nvnodetop/test/bench/rig"
)

// writesSteps lets the job's log grow by two lines a second for ten minutes.
const writesSteps = `log=$(scontrol show job "$(squeue -h -o %i -u alice)" | sed -n 's/^ *StdOut=//p')
setsid -f timeout 600 sh -c 'i=0; while sleep 0.5; do i=$((i + 1)); echo "step $i/100000 loss 2.31"; done' \
  </dev/null >>"$log" 2>/dev/null`

// unread is the program that follows no log.
const unread = "#!/bin/sh\nNVNODETOP_PROGRESS=false exec %s \"$@\"\n"

// withoutLog gives the job a log that grows, and returns the path on the cluster of a program that does not read it.
func withoutLog(ours string) (string, error) {
	if err := rig.AsAlice(writesSteps); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "nvnodetop-bench-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	script := filepath.Join(dir, "without-log")
	if err := os.WriteFile(script, fmt.Appendf(nil, unread, ours), 0o755); err != nil {
		return "", err
	}
	return rig.Cluster("put", script)
}
