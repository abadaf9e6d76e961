package main

import (
	"fmt"
	"os"
	"os/exec"
)

// measureScreen prints, for each page of a job of 8,000 GPUs, how long a frame takes after a key, and how many bytes a
// second an untouched screen sends. The screens are in package ui, and so is what measures them.
func measureScreen() error {
	cmd := exec.Command("go", "test", "-run", "^$", "-bench", "^BenchmarkScreen", "-benchtime", "1x", "-timeout", "30m",
		"./internal/ui")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go test: %w", err)
	}
	return nil
}
