//go:build !race

package ui

import "testing"

func notRaced(*testing.T) {}
