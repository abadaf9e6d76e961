package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/config"
)

// A shared flag sets the setting with its name and no other, whatever the environment says. Only these are no settings.
func TestFlagsAreSettings(t *testing.T) {
	without := []string{"demo", "nodes", FirstSample, MaxAge}
	values := map[string]string{"timeout": "20s", "view": "node", "keys": "nvitop", "monitor": "full", "colors": "job",
		"theme": "dark", "ascii": "true", "readonly": "true", "log": "x.log", "transport": "srun", "login": "alice@cluster",
		"gpu-util-thresh": "50,80", "mem-util-thresh": "50,80"}
	usual := loaded(t, New(Streams{}, pflag.NewFlagSet("", pflag.ContinueOnError)))
	for _, name := range Shared() {
		t.Run(name, func(t *testing.T) {
			key := keyOf(name)
			switch {
			case slices.Contains(without, name):
				return
			case !config.IsSetting(key):
				t.Fatalf("--%s: there is no setting %q: name both alike, or add the flag to this test's list", name, key)
			case values[name] == "":
				t.Fatalf("--%s: add a value that is not its default to this test's values", name)
			}
			f := pflag.NewFlagSet("", pflag.ContinueOnError)
			p := New(Streams{}, f, name)
			if unset := loaded(t, p); !slices.Equal(unset, usual) {
				t.Errorf("--%s changes a default of %v", name, unset)
			}
			t.Setenv("NVNODETOP_"+strings.ToUpper(key), values[name])
			if err := f.Set(name, values[name]); err != nil {
				t.Fatal(err)
			}
			for i, is := range loaded(t, p) {
				switch {
				case is.Key != key && is != usual[i]:
					t.Errorf("--%s sets %s, too: it has the field of that setting", name, is.Key)
				case is.Key == key && (is.Origin != "--"+name || is.Value == usual[i].Value):
					t.Errorf("--%s %s gives %s from %s", name, values[name], is.Value, is.Origin)
				}
			}
		})
	}
}

// The lists of flags that several commands have name flags.
func TestListedFlagsHaveARow(t *testing.T) {
	for list, names := range map[string][]string{"LookFlags": LookFlags, "NodeFlags": NodeFlags} {
		for _, name := range names {
			if flags[name] == nil {
				t.Errorf("%s has --%s, which flags (flags.go) lacks: add its row there", list, name)
			}
		}
	}
}

// The usage of a flag names each word that its setting accepts.
func TestUsageNamesTheWords(t *testing.T) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	New(Streams{}, f, Shared()...)
	f.VisitAll(func(flag *pflag.Flag) {
		for _, word := range config.Words(keyOf(flag.Name)) {
			if !regexp.MustCompile(`(^|[^-\w])` + regexp.QuoteMeta(word) + `($|[^-\w])`).MatchString(flag.Usage) {
				t.Errorf("--%s accepts %q, which its usage does not name: %s", flag.Name, word, flag.Usage)
			}
		}
	})
}

func loaded(t *testing.T, p *Program) []config.Value {
	t.Helper()
	origins, err := p.Load()
	if err != nil {
		t.Fatal(err)
	}
	return p.Config.Values(origins)
}
