package screen

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// A recording that Ctrl-K began ends with the screens, in the state before the sessions were closed.
func TestARecordingOnCallEndsWithTheNodesAsTheyWere(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer tty.Close()
	if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 120}); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, master) }()
	p := &cli.Program{Config: config.Default(), Streams: cli.Streams{In: tty, Out: tty, Err: io.Discard}}
	from := feedtest.NewPolledJob()
	ended := source.StartTask(func() error {
		return Watch(p, cli.Selection{})(t.Context(), from)
	})
	press := func(key string, until func() bool) {
		t.Helper()
		for began := time.Now(); !until(); {
			if time.Since(began) > 20*time.Second {
				t.Fatalf("%q does nothing", key)
			}
			time.Sleep(100 * time.Millisecond)
			if _, err := master.WriteString(key); err != nil {
				t.Fatal(err)
			}
			key = ""
		}
	}
	from.Reported(t)
	press("\x0b", func() bool { files, _ := filepath.Glob("*.nvr"); return len(files) == 1 })
	from.Reported(t)
	press("q", func() bool { done, _ := ended.Wait(0); return done })
	files, _ := os.ReadDir(".")
	if len(files) != 1 || !strings.HasPrefix(files[0].Name(), "nvnodetop-7-") {
		t.Fatalf("files %v", files)
	}
	feedtest.Ends(t, files[0].Name())
}

// A recording has each mark once, from Background.Marks.
func TestMarksAreNotRecordedTwice(t *testing.T) {
	var took []string
	take := dropMarks(func(e cluster.Event) { took = append(took, e.Node) })
	take(cluster.Event{Node: "n1", Gone: true})
	take(cluster.Event{Mark: &cluster.Mark{Job: "7", Name: "eval"}})
	if !slices.Equal(took, []string{"n1"}) {
		t.Errorf("it takes %q", took)
	}
}
