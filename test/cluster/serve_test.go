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

// TestServe serves a job of two nodes at a socket. What it answers is what --json prints.
func TestServe(t *testing.T) {
	id := job(t, 2)
	socket := filepath.Join(filepath.Dir(program), "serve.sock") // all hosts and this process see that directory
	cmd := exec.Command("../../scripts/testcluster", slices.Concat(asAlice, []string{"sh", "-c", fmt.Sprintf("echo $$ > %s.pid; exec %s serve --listen unix:%s 1", socket, program, socket)})...)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	stop := func() error {
		_, _ = script("on", "login", "sh", "-c", fmt.Sprintf("kill -INT $(cat %s.pid)", socket))
		select {
		case err := <-ended:
			return err
		case <-time.After(slack):
			_ = cmd.Process.Kill()
			return fmt.Errorf("it does not end; it printed %s", out.String())
		}
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}}
	get := func(path string) (int, string) {
		answer, err := client.Get("http://localhost/" + path)
		if err != nil {
			return 0, err.Error()
		}
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, string(text)
	}
	for began := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		if status, text := get("-/ready"); status == http.StatusOK {
			break
		} else if time.Since(began) > slack {
			t.Fatalf("not ready: %d, %s; it ends with %v", status, text, stop())
		}
	}
	printed := runs(t, "--json").json(t)
	for _, path := range []string{"api/v1/snapshot", "api/v1/jobs/" + id} {
		_, text := get(path)
		var served decoded
		if err := json.Unmarshal([]byte(text), &served); err != nil || len(served.Jobs) != 1 || served.Jobs[0].ID != id || len(served.Nodes) != 2 {
			t.Fatalf("%s: %v, %s", path, err, text)
		}
		for i, n := range served.Nodes {
			want := printed.Nodes[i]
			if n.Name != want.Name || n.State != "reporting" || n.Driver != want.Driver || len(n.GPUs) != 4 {
				t.Errorf("%s: %s is %s with %d GPUs", path, n.Name, n.State, len(n.GPUs))
			}
			for k, g := range n.GPUs {
				if g["uuid"] != want.GPUs[k]["uuid"] || g["memory_total_bytes"] != want.GPUs[k]["memory_total_bytes"] || g["util_percent"] == nil {
					t.Errorf("%s: GPU %d of %s is %v, --json has %v", path, k, n.Name, g, want.GPUs[k])
				}
			}
		}
	}
	if _, text := get("metrics"); strings.Count(text, "\nnvnodetop_gpu_utilization_ratio{") != 8 {
		t.Errorf("metrics: %s", text)
	}
	if _, text := get("cluster_status"); strings.Count(text, `"hostname"`) != 2 || strings.Count(text, `"clock_mhz"`) != 8 {
		t.Errorf("cluster_status: %s", text)
	}
	if _, text := get("api/v1/nodes/" + printed.Nodes[0].Name + "/gpus/0"); !strings.Contains(text, `"history":{`) {
		t.Errorf("a GPU: %s", text)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}
