package child

import (
	"os/exec"
	"strings"
)

// Shell is the command that runs a line of a shell. The shell makes room for what the line starts, if that is only one
// command: then it is this one that a Child has, and no shell above it.
func Shell(line string) []string {
	shell := []string{"/bin/sh", "-c", line}
	words := strings.Fields(line)
	if len(words) == 0 || strings.ContainsAny(line, ";&|()`\n") {
		return shell
	}
	if _, err := exec.LookPath(words[0]); err != nil { // it may be a builtin or an assignment
		return shell
	}
	shell[2] = "exec " + line
	return shell
}
