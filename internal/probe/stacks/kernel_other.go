//go:build !linux

package stacks

import "errors"

func (r *Reader) processExists(int) bool { return false }

func fileOwner(string) (int, error) { return 0, errors.ErrUnsupported }
