//go:build !linux

package child

import "errors"

// unsupported is why no command can be started.
var unsupported = errors.New("a command can be tracked on Linux only")

// Adopt is not possible here.
func Adopt() error { return unsupported }

func awaitChild(int) {}
