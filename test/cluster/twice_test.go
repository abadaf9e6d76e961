package cluster

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// brokenGPUs is a node on which each GPU has a problem that shows in two samples, and whose first GPU moves data.
const brokenGPUs = "hopper;util 97;nvlink_tx 100;pcie_rx 2000;gpu 0 nvlink_down 3;gpu 1 pcie_width 4;gpu 2 throttle " +
	"hw_slowdown;gpu 3 fail nvmlDeviceGetUtilizationRates 999"

// twoSamples are the kinds of these problems.
var twoSamples = []string{"collector", "hw_slowdown", "nvlink_down", "pcie_degraded"}

// once has the problems in a document.
type once struct {
	Jobs []struct {
		Findings []struct {
			Kind, Severity string
			GPU            *int
		}
	}
	NotChecked []struct{ Kind string } `json:"not_checked"`
	Nodes      []struct{ GPUs []map[string]any }
}

func (r result) once(t *testing.T) (d once, found, notChecked []string) {
	t.Helper()
	validate(t, r.stdout)
	if err := json.Unmarshal([]byte(r.stdout), &d); err != nil {
		t.Fatal(err)
	}
	for _, f := range d.Jobs[0].Findings {
		if f.Severity != "note" {
			found = append(found, f.Kind)
		}
	}
	for _, c := range d.NotChecked {
		notChecked = append(notChecked, c.Kind)
	}
	slices.Sort(found)
	return d, found, notChecked
}

// Commands that print once find problems that show in two samples, have rates, and name the problems that take longer.
func TestPrintedOnceFromTwoSamples(t *testing.T) {
	job(t, 1)
	if r := runs(t, "--once"); r.code != 0 || !strings.Contains(r.stdout, " 4 GPUs report ") ||
		strings.Contains(r.stdout, "OK") {
		t.Errorf("exit code %d, a healthy node is\n%s", r.code, r.stdout)
	}
	fault(t, "nvml", "node01", brokenGPUs)
	for _, args := range [][]string{{"--json"}, {"snapshot", "--format", "json"}} {
		r := runs(t, args...)
		d, found, notChecked := r.once(t)
		if r.code != 0 || !slices.Equal(found, twoSamples) {
			t.Errorf("%q: exit code %d (%s), found %v", args, r.code, r.stderr, found)
		}
		for _, kind := range []string{"lag", "job_hang", "thermal", "xid"} {
			if !slices.Contains(notChecked, kind) {
				t.Errorf("%q: %s is not named as not checked: %v", args, kind, notChecked)
			}
		}
		for _, kind := range twoSamples {
			if slices.Contains(notChecked, kind) {
				t.Errorf("%q: %s is named as not checked", args, kind)
			}
		}
		for _, key := range []string{"pcie_rx_bytes_per_second", "nvlink_tx_bytes_per_second", "sm_active_percent"} {
			if d.Nodes[0].GPUs[0][key] == nil {
				t.Errorf("%q: no %s", args, key)
			}
		}
	}
	for _, args := range [][]string{{"--once"}, {"snapshot"}} {
		r := runs(t, args...)
		if words := []string{"NVLink down, 17/18 up", "PCIe", "slowdown", "tilization"}; r.code != 0 || !all(r.stdout, words) {
			t.Errorf("%q: exit code %d, printed\n%s", args, r.code, r.stdout)
		}
	}
	if r := runs(t, "snapshot", "--format", "prometheus"); r.code != 0 ||
		!strings.Contains(r.stdout, "\nnvnodetop_gpu_pcie_receive_bytes_per_second{") {
		t.Errorf("exit code %d, no rate of PCIe for Prometheus", r.code)
	}
	r := runs(t, "--json", "--first-sample")
	_, found, notChecked := r.once(t)
	for _, kind := range twoSamples { // a probe may send another report right after the first
		if r.code != 0 || !slices.Contains(found, kind) && !slices.Contains(notChecked, kind) {
			t.Errorf("the first sample: exit code %d, found %v, not checked %v", r.code, found, notChecked)
		}
	}
}

// A busy node has its users in the list: it waits for GPUs that are still being read.
func TestListOfABusyNode(t *testing.T) {
	id := job(t, 1)
	runsNow(t, id)
	fault(t, "nvml", "node01", "slow nvmlDeviceGet* 5")
	if r := runs(t, "list", "--nodes", "node01", "--timeout", "60s"); r.code != 0 ||
		strings.Count(r.stdout, "alice") != 4 || strings.Contains(r.stdout, "[!]") {
		t.Errorf("exit code %d, stderr %q, printed\n%s", r.code, r.stderr, r.stdout)
	}
}
