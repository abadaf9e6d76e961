package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// nvitop's variables stand between the user's file and our own variables. A value without a meaning here is noted and
// otherwise ignored.
func TestNvitopsVariables(t *testing.T) {
	for _, test := range []struct {
		name, user string
		environ    []string
		want       func(*Config)
		from       map[string]string
		ignored    []string
	}{
		{name: "none", want: func(*Config) {}},
		{
			name: "all of them", environ: []string{"NVITOP_MONITOR_MODE=full,colorful, light",
				"NVITOP_GPU_UTILIZATION_THRESHOLDS=10,75", "NVITOP_MEMORY_UTILIZATION_THRESHOLDS=10, 80"},
			want: func(c *Config) {
				c.Monitor, c.Colors, c.Theme, c.GPULevels, c.MemoryLevels = "full", "classic", "light", Levels{10, 75},
					Levels{10, 80}
			},
			from: map[string]string{"colors": nvitopModes, "theme": nvitopModes, "gpu_util_thresh": nvitopGPU,
				"mem_util_thresh": nvitopMemory, "view": ByDefault},
		},
		{name: "the last panel counts", environ: []string{"NVITOP_MONITOR_MODE=auto,full,compact"},
			want: func(c *Config) { c.Monitor = "compact" }},
		{name: "the variable of old versions", environ: []string{"NVITOP_MONITOR_THEME=light"},
			want: func(c *Config) { c.Theme = "light" }, from: map[string]string{"theme": nvitopTheme}},
		{name: "the new variable counts more", environ: []string{"NVITOP_MONITOR_MODE=dark",
			"NVITOP_MONITOR_THEME=light"},
			want: func(c *Config) { c.Theme = "dark" }, from: map[string]string{"theme": nvitopModes}},
		{name: "after the old one, too", environ: []string{"NVITOP_MONITOR_THEME=light", "NVITOP_MONITOR_MODE=dark"},
			want: func(c *Config) { c.Theme = "dark" }, from: map[string]string{"theme": nvitopModes}},
		{name: "a mode is no theme", environ: []string{"NVITOP_MONITOR_THEME=full"}, want: func(*Config) {},
			ignored: []string{`"full" in ` + nvitopTheme}},
		{name: "plain and dark", environ: []string{"NVITOP_MONITOR_MODE=plain,dark"},
			want: func(c *Config) { c.Colors, c.Theme = "job", "dark" }},
		{
			name: "readonly", environ: []string{"NVITOP_MONITOR_MODE=plain,readonly"},
			want: func(c *Config) { c.Colors, c.ReadOnly, c.ReadOnlyFrom = "job", true, nvitopModes },
			from: map[string]string{"readonly": nvitopModes},
		},
		{
			name: "readonly, undone by our own variable", environ: []string{"NVITOP_MONITOR_MODE=readonly",
				"NVNODETOP_READONLY=false"}, want: func(*Config) {},
			from: map[string]string{"readonly": "NVNODETOP_READONLY"},
		},
		{
			name: "above the user's file", user: "theme = 'dark'\ngpu_util_thresh = [1, 2]",
			environ: []string{"NVITOP_MONITOR_MODE=light", "NVITOP_GPU_UTILIZATION_THRESHOLDS=3,4"},
			want:    func(c *Config) { c.Theme, c.GPULevels = "light", Levels{3, 4} },
		},
		{
			name: "below our own", environ: []string{"NVNODETOP_THEME=mono", "NVITOP_MONITOR_MODE=light",
				"NVNODETOP_GPU_UTIL_THRESH=5,6", "NVITOP_GPU_UTILIZATION_THRESHOLDS=3,4"},
			want: func(c *Config) { c.Theme, c.GPULevels = "mono", Levels{5, 6} },
			from: map[string]string{"theme": "NVNODETOP_THEME", "gpu_util_thresh": "NVNODETOP_GPU_UTIL_THRESH"},
		},
		{
			name: "what nobody knows", environ: []string{"NVITOP_MONITOR_MODE=rainbow,light",
				"NVITOP_GPU_UTILIZATION_THRESHOLDS=high", "NVITOP_MEMORY_UTILIZATION_THRESHOLDS=80,10",
				"NVITOP_ELSE=x"},
			want:    func(c *Config) { c.Theme = "light" },
			ignored: []string{`"rainbow" in ` + nvitopModes, `"high" in ` + nvitopGPU, `"80,10" in ` + nvitopMemory},
		},
	} {
		in := place(t, "", test.user)
		in.Environ = test.environ
		c, want := Default(), Default()
		test.want(&want)
		o, err := c.Load(in)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if !reflect.DeepEqual(c, want) || !slices.Equal(o.Ignored, test.ignored) {
			t.Errorf("%s: %+v, ignored %q\nwant %+v, %q", test.name, c, o.Ignored, want, test.ignored)
		}
		for key, from := range test.from {
			if got := o.Of(key); got != from {
				t.Errorf("%s: %s is from %q, want %q", test.name, key, got, from)
			}
		}
	}
}

// However long a variable of another program is, the note about it is short.
func TestNvitopsVariablesAreCut(t *testing.T) {
	c := Default()
	o, err := c.Load(Inputs{Environ: []string{nvitopModes + "=" + strings.Repeat(strings.Repeat("x\n", 1000)+",",
		1000)}})
	if err != nil || len(strings.Join(o.Ignored, "")) > 2000 || strings.Contains(strings.Join(o.Ignored, ""), "\n") {
		t.Errorf("%v, %d bytes", err, len(strings.Join(o.Ignored, "")))
	}
}

func TestLevelsInAFile(t *testing.T) {
	for text, want := range map[string]string{
		"gpu_util_thresh = [10.5, 75]": "",
		"mem_util_thresh = [1, 99]":    "",
		"gpu_util_thresh = [10]": ":1: gpu_util_thresh must be two numbers, 0 < low < high < 100, such as " +
			"[60, 85], not [10]",
		"gpu_util_thresh = 10":          "not 10",
		"gpu_util_thresh = [75, 10]":    "such as [60, 85], not [75, 10]",
		"gpu_util_thresh = ['10','75']": "not a list",
	} {
		c := Default()
		_, err := c.Load(place(t, "", text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}
