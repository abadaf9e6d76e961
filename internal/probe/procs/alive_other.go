//go:build !linux

package procs

func alive(int) bool { return true } // without a driver no process is listed
