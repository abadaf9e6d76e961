package signs

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// An Xid within a minute of another one is its consequence; a later Xid is a cause of its own.
func TestXidsApart(t *testing.T) {
	first := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		apart  time.Duration
		causes int
	}{{60 * time.Second, 1}, {61 * time.Second, 2}} {
		n := &cluster.Node{Xids: []cluster.Xid{{At: first.Add(tc.apart), Code: 43, Key: "y"},
			{At: first, Code: 31, Key: "x"}}}
		if got := findCauses(n); len(got) != tc.causes || got[0].Code != 31 {
			t.Errorf("%v apart: %+v", tc.apart, got)
		}
	}
}

// xidMeanings are the codes that have a meaning in NVIDIA's catalog, and 14 and 108, which it only says to ignore.
// Those from 162 on have no action there.
var xidMeanings = []uint64{
	8, 11, 13, 14, 25, 31, 32, 37, 38, 39, 40, 41, 43, 44, 45, 46, 48, 54, 60, 62, 63, 64, 66, 67, 68, 69, 70, 71, 72, 74,
	75, 76, 77, 78, 79, 80, 82, 83,
	84, 85, 86, 88, 89, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 119,
	120, 121, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 139, 140, 141, 142, 143, 144, 145, 146,
	147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168,
	169, 170, 171, 172, 173, 174, 175, 176,
}

func TestXidCatalog(t *testing.T) {
	if codes := slices.Sorted(maps.Keys(XidCatalog)); len(xidMeanings) != 115 || !slices.Equal(codes, xidMeanings) {
		t.Errorf("%d codes: %v", len(codes), codes)
	}
	newest := false
	for code, x := range XidCatalog {
		first, _, _ := strings.Cut(x.Name, " ")
		if x.Name == "" || x.Whose == "" || x.Hint == "" && !x.Follows || strings.ToUpper(first[:1]) == first[:1] &&
			strings.ToUpper(first) != first && first != "NVLink" {
			t.Errorf("%d: %+v", code, x)
		}
		if IsNewerXid(code) {
			t.Errorf("%d is above the newest code", code)
		}
		if code == NewestXid && IsNewerXid(code+1) {
			newest = true
		}
		if (x.Action == noAction) != (code >= 162) {
			t.Errorf("%d: NVIDIA's action is %q", code, x.Action)
		}
	}
	if !newest {
		t.Errorf("%d is not the newest code", NewestXid)
	}
}

// What NVIDIA says to ignore is at most a note, and what it says to reset or restart is worth a look.
func TestXidActions(t *testing.T) {
	of := map[action][]uint64{
		ignore: {14, 37, 38, 43, 44, 63, 66, 67, 92, 93, 106, 107, 108, 121, 137, 141, 152, 153, 157, 160, 161},
		restartApp: {8, 11, 13, 25, 31, 32, 39, 40, 41, 60, 68, 69, 70, 71, 72, 75, 76, 77, 80, 82, 83, 84, 85, 86, 88,
			89, 94, 96, 97, 98, 99, 100, 101,
			102, 103, 104, 105, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 139},
		resetGPU: {46, 62, 64, 95, 109, 110, 119, 120, 136, 140, 143, 155, 156, 158},
	}
	severities := map[action][]cluster.Severity{ignore: {cluster.Note}, restartApp: {cluster.Warning},
		resetGPU: {cluster.Warning, cluster.Critical}}
	for what, codes := range of {
		for _, code := range codes {
			if x := XidCatalog[code]; x.Action != what || !slices.Contains(severities[what], x.Severity) && code != 43 {
				t.Errorf("%d: NVIDIA's action is %q, severity %v", code, x.Action, x.Severity)
			}
		}
	}
	for code, x := range XidCatalog {
		if codes, listed := of[x.Action]; listed && !slices.Contains(codes, code) {
			t.Errorf("%d: NVIDIA's action is not %q", code, x.Action)
		}
	}
}
