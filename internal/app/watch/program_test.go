package watch_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

// A test message says for what it waits, and how long at most. The secret of a webhook is in nothing that is printed.
func TestWatchSendsATestMessage(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "Cannot POST "+r.URL.Path, http.StatusNotFound)
	}))
	defer server.Close()
	hook := filepath.Join(t.TempDir(), "hook")
	if err := os.WriteFile(hook, []byte(server.URL+"/services/T000B000SECRETxyz"), 0o600); err != nil {
		t.Fatal(err)
	}
	apptest.WithSettings(t, "", "notify.webhook = '"+hook+"'\n")
	code, out, errs := apptest.Run(t, "watch", "--test", "--notify", "webhook")
	lines := strings.Split(errs, "\n")
	if code != cli.ExitFailed || out != "" || len(lines) != 3 ||
		lines[0] != "nvnodetop: sending a test message by webhook, which takes at most 2m0s" ||
		!strings.HasSuffix(lines[1], ": it answers 404 Not Found: Cannot POST …") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, errs)
	}
}
