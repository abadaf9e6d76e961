//go:build !linux

package probe

import "errors"

func setNice(int, int) error { return errors.ErrUnsupported }

func setCPUs(int, []int) error { return errors.ErrUnsupported }
