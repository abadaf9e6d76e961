package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// server is nvnodetop serve at a socket.
type server struct {
	client *http.Client
	socket string
	cmd    *exec.Cmd
	out    strings.Builder
	ended  chan error
}

// serves starts the server, and waits until it is ready.
func serves(t *testing.T, args ...string) *server {
	t.Helper()
	s := &server{socket: filepath.Join(filepath.Dir(program), "serve.sock"), ended: make(chan error, 1)}
	line := fmt.Sprintf("echo $$ > %s.pid; exec %s serve --listen unix:%s %s", s.socket, program, s.socket,
		strings.Join(args, " "))
	s.cmd = exec.Command("../../scripts/testcluster", slices.Concat(asAlice, []string{"sh", "-c", line})...)
	s.cmd.Stdout, s.cmd.Stderr = &s.out, &s.out
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { s.ended <- s.cmd.Wait() }()
	seen := rootOf(t, "login") + s.socket
	s.client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", seen)
		}}}
	for began := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		if status, text := s.get("-/ready"); status == http.StatusOK {
			return s
		} else if time.Since(began) > slack {
			t.Fatalf("not ready: %d, %s; it ends with %v", status, text, s.stop())
		}
	}
}

// get returns the answer at a path.
func (s *server) get(path string) (status int, text string) {
	answer, err := s.client.Get("http://localhost/" + path)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(body)
}

// stop ends the server as Ctrl-C does.
func (s *server) stop() error {
	_, _ = script("on", "login", "sh", "-c", fmt.Sprintf("kill -INT $(cat %s.pid)", s.socket))
	select {
	case err := <-s.ended:
		return err
	case <-time.After(slack):
		_ = s.cmd.Process.Kill()
		return fmt.Errorf("it does not end; it printed %s", s.out.String())
	}
}

// TestServe serves a job of two nodes at a socket. The answers are those of --json.
func TestServe(t *testing.T) {
	id := job(t, 2)
	s := serves(t, "1")
	printed := runs(t, "--json").json(t)
	for _, path := range []string{"api/v1/snapshot", "api/v1/jobs/" + id} {
		_, text := s.get(path)
		var served decoded
		if err := json.Unmarshal([]byte(text), &served); err != nil || len(served.Jobs) != 1 ||
			served.Jobs[0].ID != id || len(served.Nodes) != 2 {
			t.Fatalf("%s: %v, %s", path, err, text)
		}
		for i, n := range served.Nodes {
			want := printed.Nodes[i]
			if n.Name != want.Name || n.State != "reporting" || n.Driver != want.Driver || len(n.GPUs) != 4 {
				t.Errorf("%s: %s is %s with %d GPUs", path, n.Name, n.State, len(n.GPUs))
			}
			for k, g := range n.GPUs {
				if g["uuid"] != want.GPUs[k]["uuid"] || g["memory_total_bytes"] != want.GPUs[k]["memory_total_bytes"] ||
					g["util_percent"] == nil {
					t.Errorf("%s: GPU %d of %s is %v, --json has %v", path, k, n.Name, g, want.GPUs[k])
				}
			}
		}
	}
	if _, text := s.get("metrics"); strings.Count(text, "\nnvnodetop_gpu_utilization_ratio{") != 8 {
		t.Errorf("metrics: %s", text)
	}
	if _, text := s.get("cluster_status"); strings.Count(text, `"hostname"`) != 2 ||
		strings.Count(text, `"clock_mhz"`) != 8 {
		t.Errorf("cluster_status: %s", text)
	}
	if _, text := s.get("api/v1/nodes/" + printed.Nodes[0].Name + "/gpus/0"); !strings.Contains(text, `"history":{`) {
		t.Errorf("a GPU: %s", text)
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
}
