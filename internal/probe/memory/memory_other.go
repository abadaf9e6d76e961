//go:build !linux

package memory

import "errors"

func readProcess(int, []Piece) error { return errors.ErrUnsupported }
