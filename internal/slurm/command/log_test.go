package command

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
)

// An order is in the log before it is sent; a question is logged at its end only.
func TestOrdersAreLoggedFirst(t *testing.T) {
	var log bytes.Buffer
	before := ""
	run := Logged(func(context.Context, ...string) ([]byte, []byte, error) {
		before = log.String()
		return nil, []byte("s3cr3t"), nil
	}, slog.New(slog.NewTextHandler(&log, nil)))
	if _, _, err := run(t.Context(), "scancel", "--verbose", "--signal=USR1", "48211"); err != nil {
		t.Fatal(err)
	}
	const command = `command="scancel --verbose --signal=USR1 48211"`
	if !strings.Contains(before, `msg="slurm asked" `+command) ||
		!strings.Contains(log.String(), "msg=slurm "+command) || strings.Contains(log.String(), "s3cr3t") {
		t.Errorf("before it %q, then\n%s", before, log.String())
	}
	log.Reset()
	if _, _, err := run(t.Context(), "squeue"); err != nil || before != "" || strings.Count(log.String(), "\n") != 1 {
		t.Errorf("before squeue %q, then\n%s", before, log.String())
	}
}
