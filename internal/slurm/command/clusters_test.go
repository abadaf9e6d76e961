package command

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// SLURM_CLUSTERS may choose a single cluster.
func TestClusterOfTheEnvironment(t *testing.T) {
	for value, kept := range map[string]bool{"gpu": true, " gpu": true, "gpu,cpu": false, "all": false, "ALL": false,
		"": false} {
		entry := "SLURM_CLUSTERS=" + value
		if got := slices.Contains(commandEnviron([]string{entry}), entry); got != kept {
			t.Errorf("%q: kept %v, want %v", entry, got, kept)
		}
	}
	if env := commandEnviron(nil); slices.ContainsFunc(env,
		func(e string) bool { return strings.HasPrefix(e, "SLURM_CLUSTERS") }) {
		t.Errorf("a cluster out of nothing: %q", env)
	}
}

// Several clusters are not dropped without a word, and the words of a failure stay those of the command.
func TestSeveralClusters(t *testing.T) {
	for value, want := range map[string]string{
		"gpu": "", "": "",
		"gpu,cpu":     `SLURM_CLUSTERS="gpu,cpu" names several clusters: only this host's own is asked (ClusterName of slurm.conf); for another one: SLURM_CLUSTERS=gpu nvnodetop`,
		"ALL":         `SLURM_CLUSTERS="ALL" names several clusters: only this host's own is asked (ClusterName of slurm.conf); for another one: SLURM_CLUSTERS=NAME nvnodetop`,
		"\x1b[2J,cpu": `SLURM_CLUSTERS="\x1b[2J,cpu" names several clusters: only this host's own is asked (ClusterName of slurm.conf); for another one: SLURM_CLUSTERS=NAME nvnodetop`,
	} {
		t.Setenv(clustersVariable, value)
		for name, run := range map[string]Runner{"here": Run, "there": Remote("login1", here)} {
			out, said, err := run(t.Context(), "sh", "-c", `echo "$SLURM_CLUSTERS"; echo squeue: error: away >&2; exit 1`)
			kept := ""
			if want == "" {
				kept = value
			}
			if got := Note(said); got != want || strings.TrimSpace(string(out)) != kept || err == nil {
				t.Errorf("%s, %q: note %q, asks %q, %v", name, value, got, out, err)
			}
			if f := Failed("squeue", said, errors.New("exit status 1")); f.Words != "squeue: error: away" || f.Cause != "away" {
				t.Errorf("%s, %q: %+v", name, value, f)
			}
		}
	}
}
