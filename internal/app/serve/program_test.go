package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

// served runs serve with a demo, and returns its output and its end.
func served(t *testing.T, args ...string) (lines []string, end func() error) {
	t.Helper()
	return serving(t, append([]string{"--demo=2x4"}, args...)...)
}

// serving runs serve likewise.
func serving(t *testing.T, args ...string) (lines []string, end func() error) {
	t.Helper()
	lines, stop := apptest.Start(t, append([]string{"serve"}, args...)...)
	return lines, func() error {
		if code, errs := stop(); code != cli.ExitOK {
			return fmt.Errorf("exit code %d: %s", code, errs)
		}
		return nil
	}
}

// Without TLS and token, an agent of nvgpu answers other hosts, and nothing else does.
func TestServeIsAnOpenAgent(t *testing.T) {
	lines, end := served(t, "--listen", ":0", "--insecure-http")
	if len(lines) != 2 || !strings.HasSuffix(lines[0], "/gpu_status") {
		t.Fatalf("it prints %q", lines)
	}
	port := regexp.MustCompile(`:(\d+)/gpu_status$`).FindStringSubmatch(lines[0])
	awaitReports(t, "http://127.0.0.1:"+port[1])
	for path, want := range map[string]int{"/gpu_status": 200, "/cluster_status": 200, "/nodes/gpu-n01/gpu_status": 200,
		"/": 404, "/metrics": 404, "/api/v1/snapshot": 404, "/api/v1/processes": 404, "/api/v1/events": 404} {
		if status, text := ask(t, http.DefaultClient, "http://127.0.0.1:"+port[1], path); status != want {
			t.Errorf("%s: %d, want %d, %.200s", path, status, want, text)
		}
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	for args, want := range map[string]string{
		"--insecure-http": "--insecure-http is for an address",
		"--insecure-http --listen :0 --tls-cert x --tls-key y": "cannot be combined",
		"--insecure-http --listen unix:/tmp/x":                 "--insecure-http is for an address",
		"--insecure-http --listen :0 --logs":                   "shows no logs",
		"--insecure-http --listen :0 --behind-proxy":           "cannot be combined with --behind-proxy",
		"--listen :0": "needs --tls-cert and --tls-key",
	} {
		code, out, errs := apptest.Run(t, append([]string{"serve", "--demo=1x1"}, strings.Fields(args)...)...)
		if code != cli.ExitUsage || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", args, code, out, errs)
		}
	}
}

// awaitReports returns once the nodes have reported: a moment after the jobs are known.
func awaitReports(t *testing.T, link string) {
	t.Helper()
	for late := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		switch status, text := ask(t, http.DefaultClient, link, "/gpu_status"); {
		case status == http.StatusOK:
			return
		case time.Now().After(late):
			t.Fatalf("no node reports: %d, %s", status, text)
		}
	}
}

// ask gets a part, with the token of a link.
func ask(t *testing.T, client *http.Client, link, path string) (status int, text string) {
	t.Helper()
	base, query, _ := strings.Cut(link, "?")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+strings.TrimPrefix(query, "token="))
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		answer, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		// it may be starting, and a node of the demo connect anew
		if answer.StatusCode != http.StatusServiceUnavailable || time.Since(began) > time.Minute {
			return answer.StatusCode, string(body)
		}
	}
}

func TestServeToALink(t *testing.T) {
	t.Parallel()
	lines, end := served(t, "--listen", "127.0.0.1:0")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "http://127.0.0.1:") ||
		!strings.Contains(lines[0], "/?token=") || !strings.Contains(lines[1], "ssh -L ") {
		t.Fatalf("it prints %q, and ends with %v", lines, end())
	}
	if status, _ := ask(t, http.DefaultClient, lines[0], "-/ready"); status != http.StatusOK {
		t.Errorf("ready: %d", status)
	}
	if status, text := ask(t, http.DefaultClient, lines[0], "api/v1/jobs"); status != http.StatusOK ||
		!strings.Contains(text, `"gpus":8`) {
		t.Errorf("%d, %.200s", status, text)
	}
	if status, _ := ask(t, http.DefaultClient, strings.Split(lines[0], "?")[0],
		"api/v1/jobs"); status != http.StatusUnauthorized {
		t.Errorf("without the token: %d", status)
	}
	if status, text := ask(t, http.DefaultClient, lines[0], "api/v1/nodes/gpu-n01/gpus/0"); status != http.StatusOK ||
		!strings.Contains(text, `"history":{`) {
		t.Errorf("%d, %.200s", status, text)
	}
	if err := end(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}

func TestServeToASocketAndATokenFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	socket, token := filepath.Join(dir, "s"), filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{}, {"--token-file", token}} {
		lines, end := served(t, append(args, "--listen", "unix:"+socket)...)
		if len(lines) != 2 || lines[0] != "unix socket "+socket || strings.Contains(strings.Join(lines, ""),
			"0123456789abcdef") {
			t.Fatalf("it prints %q, and ends with %v", lines, end())
		}
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, "unix", socket)
			}}}
		ask(t, client, "http://localhost/", "-/ready")
		if status, text := ask(t, client, "http://localhost/?token=0123456789abcdef",
			"metrics"); status != http.StatusOK || !strings.Contains(text, "nvnodetop_gpu_utilization_ratio{") {
			t.Errorf("%q: %d, %.200s", args, status, text)
		}
		if status, _ := ask(t, client, "http://localhost/", "metrics"); (status == http.StatusOK) != (len(args) == 0) {
			t.Errorf("%q without a token: %d", args, status)
		}
		if err := end(); err != nil {
			t.Errorf("it ends with %v", err)
		}
	}
}

// Behind a proxy it speaks plain HTTP to everybody who has the token, also on a socket.
func TestServeBehindAProxy(t *testing.T) {
	t.Parallel()
	lines, end := served(t, "--listen", ":0", "--behind-proxy", "--base-path", "/node/n1/9481/")
	link := regexp.MustCompile(`^http://[^/]+(:\d+/node/n1/9481/)(\?token=\w{16,})$`).FindStringSubmatch(lines[0])
	if len(lines) != 2 || link == nil || strings.Contains(lines[1], "token=") {
		t.Fatalf("it prints %q, and ends with %v", lines, end())
	}
	for path, want := range map[string]int{"-/ready": 200, "api/v1/jobs": 200, "": 200} {
		if status, text := ask(t, http.DefaultClient, "http://127.0.0.1"+link[1]+link[2], path); status != want {
			t.Errorf("%s: %d, %.200s", path, status, text)
		}
		if status, _ := ask(t, http.DefaultClient, "http://127.0.0.1"+link[1],
			path); (status == http.StatusOK) != !strings.Contains(path, "api/") {
			t.Errorf("%s without the token: %d", path, status)
		}
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	lines, end = served(t, "--listen", "unix:"+filepath.Join(t.TempDir(), "s"), "--behind-proxy")
	if len(lines) != 2 || !strings.Contains(lines[1], "/?token=") {
		t.Errorf("on a socket it prints %q", lines)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// The answers of serve to nvgpu can be watched like nvgpu's own agents.
func TestServeIsAnAgent(t *testing.T) {
	t.Parallel()
	lines, end := served(t, "--listen", "127.0.0.1:0")
	status, text := ask(t, http.DefaultClient, lines[0], "nodes/gpu-n01/gpu_status")
	// processes are listed soon
	for began := time.Now(); !strings.Contains(text, "alice") &&
		time.Since(began) < 20*time.Second; time.Sleep(50 * time.Millisecond) {
		status, text = ask(t, http.DefaultClient, lines[0], "nodes/gpu-n01/gpu_status")
	}
	if err := end(); err != nil || status != http.StatusOK {
		t.Fatalf("%d, %v", status, err)
	}
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_,
			_ = io.WriteString(w, text)
	}))
	defer agent.Close()
	code, out, errs := apptest.Run(t, "--nodes", agent.URL, "--json")
	var got struct {
		Nodes []struct {
			Transport, Hostname string
			GPUs                []map[string]any
			Processes           []struct{ User string }
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != cli.ExitOK || errs != "" {
		t.Fatalf("exit code %d, %v, %q, %s", code, err, errs, out)
	}
	n := got.Nodes[0]
	if n.Transport != "nvgpu" || n.Hostname != "gpu-n01" || len(n.GPUs) != 4 || n.GPUs[0]["util_percent"] == nil ||
		n.GPUs[0]["power_watts"] != nil || len(n.Processes) == 0 {
		t.Errorf("%+v", n)
	}
	agent.Close()
	if code, _, errs := apptest.Run(t, "--nodes", agent.URL, "--json", "--timeout", "2s"); code != cli.ExitFailed ||
		!strings.Contains(errs, "connection refused") && !strings.Contains(errs, "not reporting") {
		t.Errorf("without an agent: exit code %d, %q", code, errs)
	}
}

func TestServeUsage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for args, want := range map[string]string{
		"--listen :0":        `--listen ":0" needs --tls-cert and --tls-key, or --behind-proxy: other hosts can reach it`,
		"--listen 0.0.0.0:0": "needs --tls-cert",
		"--listen unix:@x":   `--listen "unix:@x" is an abstract socket, which every user of this host can open`,
		"--listen 127.0.0.1": `--listen "127.0.0.1" must be HOST:PORT, :PORT or unix:PATH`,
		"--listen h:99999":   `no port "99999"`,
		"--listen http://h":  "must be HOST:PORT",
		"--tls-cert " + write("cert", "x", 0o644) + " --tls-key " + write("key", "x", 0o644): "others can read it",
		"--tls-cert a":      "--tls-cert and --tls-key need each other: give both",
		"--base-path node":  `--base-path "node" is not a path such as /node/gpu01/9481`,
		"--base-path //h":   `--base-path "//h" is not a path such as /node/gpu01/9481`,
		"--metrics most":    `--metrics must be all or core, not "most"`,
		"--metrics-names x": `--metrics-names must be nvnodetop or dcgm, not "x"`,
		"--token-file " + write("open", "0123456789abcdef", 0o644):      "others can read",
		"--token-file " + write("short", "0123456789abcde\n", 0o600):    "at least 16",
		"--token-file " + write("two", "0123456789\n0123456789", 0o600): "one line",
		"--token-file " + dir:          "is not a regular file",
		"--token-file " + dir + "/nix": "no such file",
		"--job=":                       "--job is empty",
		"5 2":                          `unexpected argument "2"`,
		"x":                            "POLL must be a time",
	} {
		code, out, errs := apptest.Run(t, append([]string{"serve", "--demo=2x4"}, strings.Fields(args)...)...)
		if code != cli.ExitUsage || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: exit code %d, %q, %q", args, code, out, errs)
		}
	}
}

// The page of the command describes its flags.
func TestServeIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/commands/serve.md")
	if err != nil {
		t.Fatal(err)
	}
	_, help, _ := apptest.Run(t, "serve", "--help")
	flags := regexp.MustCompile(`(?m)^ +(--[a-z-]+)`).FindAllStringSubmatch(help, -1)
	for _, flag := range flags {
		if flag[1] != "--help" && !strings.Contains(string(page), "`"+flag[1]) {
			t.Errorf("docs/commands/serve.md does not name %s", flag[1])
		}
	}
	if len(flags) < 10 {
		t.Errorf("only %d flags in\n%s", len(flags), help)
	}
}

func TestServeWithAPortInUse(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	lines, end := apptest.Start(t, "serve", "--demo=2x4", "--listen", taken.Addr().String())
	code, errs := end()
	if code != cli.ExitFailed || len(lines) > 0 || !strings.Contains(errs, "address already in use") {
		t.Errorf("it prints %q and ends with %d, %q", lines, code, errs)
	}
}

// serve serves such a host, too.
func TestServeWithUnconfiguredSlurm(t *testing.T) {
	for name, says := range apptest.Unconfigured {
		t.Run(name, func(t *testing.T) {
			apptest.WithoutConfiguration(t, says)
			for _, args := range [][]string{{}, {"--transport", "local"}} {
				lines, end := serving(t, append(args, "--listen", "127.0.0.1:0")...)
				if status, _ := ask(t, http.DefaultClient, lines[0], "-/ready"); status != http.StatusOK {
					t.Errorf("%q: ready %d", args, status)
				}
				if status, text := ask(t, http.DefaultClient, lines[0], "api/v1/jobs"); status != http.StatusOK ||
					!strings.Contains(text, `"gpus":1`) {
					t.Errorf("%q: %d, %.300s", args, status, text)
				}
				if err := end(); err != nil {
					t.Errorf("%q: it ends with %v", args, err)
				}
			}
		})
	}
}
