//go:build !linux

package probe

import "errors"

// There is no /proc here, so no process to signal is ever found.

func openPidfd(int) (int, error) { return 0, errors.ErrUnsupported }

func sendPidfd(int, int) error { return errors.ErrUnsupported }

func closeHandle(int) {}

func sendSignal(int, int) error { return errors.ErrUnsupported }
