package slurm

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
)

func TestParseRecordedTopology(t *testing.T) {
	want := map[string]string{
		"node01": "a1", "node02": "a1", "node03": "a1", "node07": "a1",
		"node04": "a2", "node05": "a2", "node06": "a2",
		"node08": "b2", "node09": "b2",
	}
	if diff := cmp.Diff(want, parseTopology(recordedSwitches(t, "tree.txt"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The topologies that are new in SLURM 26.05.
func TestParseOfRings(t *testing.T) {
	for file, name := range map[string]string{"ring.txt": "ring", "torus3d.txt": "torus"} {
		first, second := name+"1", name+"2"
		want := map[string]string{"node01": first, "node02": first, "node03": first, "node07": first,
			"node04": second, "node05": second, "node06": second}
		if diff := cmp.Diff(want, parseTopology(recordedSwitches(t, file))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

func TestParseTopology(t *testing.T) {
	for text, want := range map[string]string{ // the nodes with their switches
		"":                                    "",
		"No topology information available\n": "",
		"SwitchName=s0 Level=0 LinkSpeed=1 Nodes=tux[0-1]\n":             "tux0=s0 tux1=s0",
		"SwitchName=s1 Level=1 LinkSpeed=1 Nodes=tux[0-1] Switches=s0\n": "",
		"SwitchName=s0 Level=0 LinkSpeed=1\n":                            "",
		// the first topology counts
		"SwitchName=s0 Level=0 Nodes=tux0\nSwitchName=s1 Level=0 Nodes=tux[0-1]\n": "tux0=s0 tux1=s1",
		"SwitchName=s0 Nodes=tux0\n": "",
		"SwitchName=s0 Level=0 LinkSpeed=1 Nodes=tux[0-\nSwitchName=s1 Level=0 Nodes=a\n":  "a=s1", // a line is cut
		"SwitchName=s0 Level=0 LinkSpeed=1 Nodes=-oProxyCommand=x\n":                       "",
		"SwitchName=s0 Level=0 Nodes=a[0-99999999]\n":                                      "",
		"SwitchName= Level=0 Nodes=a\n":                                                    "",
		"BlockName=b1 BlockIndex=0 Nodes=a[1-2] BlockSize=2\r\nBlockName=b2 Nodes=c\n":     "a1=b1 a2=b1 c=b2",
		"BlockName=b1 BlockIndex=0 Nodes=a1\nAggregatedBlock=b[1-2] BlockIndex=2 Nodes=a2": "a1=b1",
		"   Nodes=x SwitchName=s0 Level=0\n":                                               "",
		"MeshName=m1 Nodes=a[1-2] X=1\nMeshName=m2 Level=1 Nodes=a[1-3]\n":                 "a1=m1 a2=m1",
		// of later versions
	} {
		under := parseTopology([]byte(text))
		var got []string
		for _, node := range slices.Sorted(maps.Keys(under)) {
			got = append(got, node+"="+under[node])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzParseTopology(f *testing.F) {
	for _, name := range []string{"tree.txt", "ring.txt", "torus3d.txt"} {
		f.Add(recordedSwitches(f, name))
	}
	f.Add([]byte("BlockName=b1 BlockIndex=0 Nodes=a[1-2] BlockSize=2\nSwitchName=s Level=0 Nodes=a[[1-2]]\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		for node, name := range parseTopology(out) {
			if !notation.IsHost(node) || name == "" || strings.ContainsAny(name, " \n") {
				t.Fatalf("%q is under %q", node, name)
			}
		}
	})
}

// recordedSwitches returns a file of recorded output.
func recordedSwitches(t testing.TB, name string) []byte {
	t.Helper()
	out, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
