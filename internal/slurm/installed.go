package slurm

import "os/exec"

// Installed reports whether this host has SLURM's commands.
func Installed() bool {
	_, err := exec.LookPath("squeue")
	return err == nil
}
