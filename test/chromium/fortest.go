package chromium

import (
	"context"
	"errors"
	"testing"
)

// New starts Chromium for a test, and ends it with the test, which is skipped where there is none.
func New(t testing.TB) *Browser {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser is slow")
	}
	b, err := Start(context.Background())
	if errors.Is(err, ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}
