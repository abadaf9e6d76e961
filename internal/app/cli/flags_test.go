package cli

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/config"
)

// A shared flag sets the setting with its name, whatever the environment says. Only these are no settings.
func TestFlagsAreSettings(t *testing.T) {
	without := []string{"demo", "nodes", FirstSample, MaxAge}
	values := map[string]string{"colors": "job", "login": "alice@cluster", "mem-util-thresh": "60,85"}
	for _, name := range Shared() {
		t.Run(name, func(t *testing.T) {
			key := keyOf(name)
			switch {
			case slices.Contains(without, name):
				return
			case !config.IsSetting(key):
				t.Fatalf("--%s: there is no setting %q: name both alike, or add the flag to this test's list", name, key)
			}
			f := pflag.NewFlagSet("", pflag.ContinueOnError)
			p := New(Streams{}, f, name)
			value := cmp.Or(values[name], f.Lookup(name).DefValue)
			t.Setenv("NVNODETOP_"+strings.ToUpper(key), value)
			if err := f.Set(name, value); err != nil {
				t.Fatal(err)
			}
			if origins, err := p.Load(); err != nil {
				t.Error(err)
			} else if from := origins.Of(key); from != "--"+name {
				t.Errorf("%s sets %s, in spite of --%s", from, key, name)
			}
		})
	}
}
