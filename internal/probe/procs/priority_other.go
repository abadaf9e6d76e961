//go:build !linux

package procs

// ioPriority is unknown.
func ioPriority(int) string { return "" }
