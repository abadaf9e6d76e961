package main

import (
	"fmt"
	"os"
	"os/exec"
)

// measureScreen prints, for each page of a job of 8,000 GPUs, the time of a frame after a key, and the bytes per second
// of an untouched screen. The screens and their benchmark are in package ui.
func measureScreen() error {
	cmd := exec.Command("go", "test", "-run", "^$", "-bench", "^BenchmarkScreen", "-benchtime", "1x", "-timeout", "30m",
		"./internal/ui")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go test: %w", err)
	}
	return nil
}
