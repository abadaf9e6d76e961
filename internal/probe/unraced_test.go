//go:build !race

package probe

import "testing"

func notRaced(*testing.T) {}
