//go:build !linux

package procs

// ioPriority is not known here.
func ioPriority(int) string { return "" }
