package cli

import (
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// --interval takes seconds, or a time with a unit as POLL does.
func TestByInterval(t *testing.T) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.String(Interval, "", "")
	p := &Program{flags: f}
	for text, valid := range map[string]bool{"5": true, "5s": true, "500ms": false, "1.5": true, "10m": true, "11m": false,
		"5x": false, "": false, "NaN": false, "-5s": false} {
		if words, err := p.ByInterval(text, time.Second); (err == nil) != valid || valid && words[0].Text != text {
			t.Errorf("%q: %v, %v, want it valid: %v", text, words, err, valid)
		}
	}
}
