//go:build !linux

package act

import "errors"

// There is no /proc here, so no process is ever found that could be signaled.

func openPidfd(int) (int, error) { return 0, errors.ErrUnsupported }

func sendPidfd(int, int) error { return errors.ErrUnsupported }

func closeHandle(int) {}

func kill(int, int) error { return errors.ErrUnsupported }
