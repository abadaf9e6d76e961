package text

import "testing"

// A suggestion is a name that somebody can have meant: nonsense is worse than none.
func TestSimilar(t *testing.T) {
	for _, test := range []struct {
		wrong string
		names []string
		want  string
	}{
		{"drak", []string{"auto", "dark", "light"}, "dark"},
		{"DARK", []string{"dark"}, "dark"},
		{"snaphot", []string{"snapshot", "stacks"}, "snapshot"},
		{"reprot", []string{"record", "report"}, "report"},
		{"utl", []string{"util", "user"}, "util"},
		{"fail", []string{"failure"}, "failure"},
		{"failed", []string{"failure"}, "failure"},
		{"tempature", []string{"util_percent", "temperature_celsius"}, "temperature_celsius"},
		{"idle", []string{"notify.idle"}, "notify.idle"},
		{"themes", []string{"theme"}, "theme"},
		{"me", []string{"mem-util-thresh"}, ""},
		{"job", []string{"json"}, ""},
		{"rgb", []string{"job", "classic"}, ""},
		{"pdsh", []string{"auto", "ssh", "control"}, ""},
		{"fan", []string{"rank", "gpu"}, ""},
		{"loss", []string{"host", "user"}, ""},
		{"x", []string{"y"}, ""},
		{"", []string{"y"}, ""},
	} {
		if got := Similar(test.wrong, test.names); got != test.want {
			t.Errorf("%q means %q, want %q", test.wrong, got, test.want)
		}
	}
}
