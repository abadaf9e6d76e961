package rig

import (
	"fmt"
	"io"
	"time"
)

// MS is a time in milliseconds.
func MS(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Cell prints a value; 0: there is none.
func Cell(w io.Writer, format string, v float64) {
	if v == 0 {
		fmt.Fprint(w, "–\t")
		return
	}
	fmt.Fprintf(w, format+"\t", v)
}
