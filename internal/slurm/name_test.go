package slurm

import (
	"os"
	"path/filepath"
	"testing"
)

func TestClusterName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "slurm.conf")
	t.Setenv("SLURM_CONF", path)
	t.Setenv("SLURM_CLUSTER_NAME", "")
	for text, want := range map[string]string{
		"# ClusterName=old\nclustername = tb1 # the name\nX=1\n": "tb1",
		"ClusterName=alps\n": "alps",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := ClusterName("login1"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestClusterNameWithoutConfiguration(t *testing.T) {
	if _, err := os.Stat("/etc/slurm/slurm.conf"); err == nil {
		t.Skip("needs a host without /etc/slurm/slurm.conf")
	}
	t.Setenv("SLURM_CLUSTER_NAME", "")
	t.Setenv("SLURM_CONF", "/nowhere")
	if got := ClusterName("login1"); got != "login1" {
		t.Error(got)
	}
	t.Setenv("SLURM_CLUSTER_NAME", "env")
	if got := ClusterName("login1"); got != "env" {
		t.Error(got)
	}
}
