package ui

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/raced"
)

// The palette finds and runs a typed word: an action by its key, a thing by going there. A signal asks first.
func TestPalette(t *testing.T) {
	raced.Skip(t)
	for _, test := range []struct{ keys, sees string }{
		{":", "What do you want to do?"},
		{":n03", "▸ node gpu-n03"},
		{":n03\r", "gpu-n03"},
		{":rank 11\r", "Processes"},
		{":cells power\r", "power"},
		{":theme light\r", "light"},
		{":users\r", "Users"},
		{":page problems\r", "Problems"},
		{":terminate", "on the page"},
		{":nothing at all", "nothing matches"},
		{":zzz\x1b", "Enter"},
	} {
		r := newRig(t, fixture())
		r.resize(120, 40)
		for _, k := range typedKeys(test.keys) {
			switch k.Code {
			case '\r':
				k = pressed("enter")
			case 0x1b:
				k = pressed("esc")
			}
			r.send(k)
		}
		if text := r.text(); !strings.Contains(text, test.sees) {
			t.Errorf("%q shows no %q:\n%s", test.keys, test.sees, text)
		}
	}
}
