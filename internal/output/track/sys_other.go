//go:build !linux

package track

import "errors"

// unsupported is why no command can be started.
var unsupported = errors.New("a command can be tracked on Linux only")

// AdoptDescendants is not possible here.
func AdoptDescendants() error { return unsupported }

func awaitChild(int) {}
