package rig

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// AsAlice runs a shell script as the user of the job, on the login node.
func AsAlice(script string) error {
	_, err := Cluster("on", "-u", "alice", "login", "bash", "-c", script)
	return err
}

// Cluster runs scripts/testcluster and returns the last line of its output.
func Cluster(args ...string) (string, error) {
	cmd := exec.Command("scripts/testcluster", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("testcluster %s: %w", strings.Join(args, " "), err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1], nil
}
