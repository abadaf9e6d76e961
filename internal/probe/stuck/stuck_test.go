package stuck

import (
	"os"
	"strconv"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/probe/fakeproc"
)

// Only a probe that can neither work nor end keeps other probes away from the driver.
func TestStuckProbe(t *testing.T) {
	me, none, kill := os.Getuid(), "0000000000000000", "0000000000000100"
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"none":      {nil, ""},
		"at work":   {fakeproc.Status("4242", ProcessName, "S (sleeping)", 5, me, 1, none), ""},
		"in a call": {fakeproc.Status("4242", ProcessName, "D (disk sleep)", 5, me, 1, none), ""},
		"killed in a call": {fakeproc.Status("4242", ProcessName, "D (disk sleep)", 1, me, 1, kill),
			"another nvnodetop probe (pid 4242) hangs in the driver"},
		"ended but for one thread": {fakeproc.Status("4242", ProcessName, "Z (zombie)", 2, me, 1, none),
			"another nvnodetop probe (pid 4242) hangs in the driver"},
		"ended, and not yet waited for": {fakeproc.Status("4242", ProcessName, "Z (zombie)", 1, me, 1, none), ""},
		"stopped": {fakeproc.Status("4242", ProcessName, "T (stopped)", 5, me, 1, none),
			"another nvnodetop probe (pid 4242) is stopped"},
		"traced": {fakeproc.Status("4242", ProcessName, "t (tracing stop)", 5, me, 1, none),
			"another nvnodetop probe (pid 4242) is stopped"},
		"somebody else's": {fakeproc.Status("4242", ProcessName, "T (stopped)", 5, me+1, 1, none), ""},
		"itself": {fakeproc.Status(strconv.Itoa(os.Getpid()), ProcessName, "T (stopped)", 5, me,
			1, none), ""},
		"another program": {map[string]string{"4242/comm": "python\n",
			"4242/status": fakeproc.Status("4242", ProcessName, "T (stopped)", 5, me, 1, none)["4242/status"]}, ""},
		"no files": {map[string]string{"4242/comm": ProcessName + "\n"}, ""},
	} {
		if got := stuckProbe(fakeproc.Write(t, tt.files)); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	files := fakeproc.Status("4242", ProcessName, "T (stopped)", 5, me, 4241, none)
	files["4241/status"] = "Name:\tnvnodetop\nState:\tT (stopped)\n"
	if got := stuckProbe(fakeproc.Write(t, files)); got != "" {
		t.Errorf("stopped with its nvnodetop: %q", got)
	}
}
