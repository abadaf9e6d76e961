// Package rig has the common parts of the benchmarks: the test cluster, the terminal of a program, the resources that a
// process uses, and the cells of a report.
package rig

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/test/term"
)

// Columns and Rows are the size of the terminal.
const Columns, Rows = 200, 50

// Settling is the time that a program runs before the steady state is measured.
const Settling = 10 * time.Second

// Number matches a number on the screen.
var Number = regexp.MustCompile(`\d%`)

// Quit ends a program with its key.
func Quit(t *term.Terminal) error {
	defer t.Close()
	if err := t.Type("q"); err != nil {
		return err
	}
	_, err := t.Wait(20 * time.Second)
	return err
}

// KeyToFrame times the key o, which changes nearly every line of the screen each time.
func KeyToFrame(t *term.Terminal, keys int) (p50, p99 time.Duration, err error) {
	var took []time.Duration
	for i := range keys {
		before := t.Screen()
		if err := t.Type("o"); err != nil {
			return 0, 0, err
		}
		d, err := t.WaitFor(10*time.Second, "another screen", func(s string) bool { return another(before, s) })
		if err != nil {
			return 0, 0, err
		}
		took = append(took, d)
		time.Sleep(time.Duration(37*(i%7)+50) * time.Millisecond) // at different phases of the display interval
	}
	slices.Sort(took)
	return took[len(took)/2], took[(len(took)*99+99)/100-1], nil
}

// another reports whether a third of the non-empty lines changed.
func another(before, after string) bool {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	lines, changed := 0, 0
	for i := range min(len(a), len(b)) {
		if a[i] == "" && b[i] == "" {
			continue
		}
		lines++
		if a[i] != b[i] {
			changed++
		}
	}
	return changed*3 >= lines
}
