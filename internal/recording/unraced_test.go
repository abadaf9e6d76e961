//go:build !race

package recording

import "testing"

func notRaced(*testing.T) {}
