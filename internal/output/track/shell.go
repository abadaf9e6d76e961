package track

import (
	"os/exec"
	"strings"
)

// ShellCommand returns the command that runs a shell line. If the line starts only one command, the shell replaces
// itself with that command: then the Child is this command, without a shell above it.
func ShellCommand(line string) []string {
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
