package probe

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// A probe that must fold its lines writes no longer line, has the same content, and ends when it hears its farewell.
func TestProbeFoldsItsLines(t *testing.T) {
	in, requests := io.Pipe()
	reports, out := io.Pipe()
	opts := Options{Build: strings.Repeat("v", 500), Library: &fakeLibrary{}, Proc: t.TempDir(), Name: "n1", Fold: 100}
	ended := make(chan error, 1)
	go func() { ended <- Run(t.Context(), in, out, opts) }()
	var whole bytes.Buffer
	pieces := 0
	for lines := bufio.NewReader(reports); !strings.HasSuffix(whole.String(), "}\n"); pieces++ {
		piece, err := lines.ReadBytes('\n')
		if err != nil || len(piece) > 100 {
			t.Fatalf("a line of %d bytes, %v", len(piece), err)
		}
		whole.Write(wire.Unfold(piece))
	}
	var m wire.Message
	lines := wire.NewReader(&whole)
	if err := lines.SkipToMagic(); err != nil {
		t.Fatal(err)
	}
	if err := lines.Next(&m); err != nil || m.Hello == nil || m.Hello.Build != opts.Build || pieces < 7 {
		t.Errorf("%d pieces, %+v, %v", pieces, m, err)
	}
	if _, err := requests.Write(wire.Farewell("n1")); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
}
