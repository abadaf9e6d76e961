//go:build !linux

package procs

func isAlive(int) bool { return true } // without a driver no process is listed
