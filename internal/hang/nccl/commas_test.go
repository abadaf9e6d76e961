package nccl_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nvnodetop/nvnodetop/internal/hang/nccl"
	"github.com/nvnodetop/nvnodetop/test/ras"
)

// NCCL 2.28.7 to 2.28.9 forget a comma in the list of missing ranks: src/ras/client_support.cc, jsonWriteMissingRank.
func TestReadWithoutAComma(t *testing.T) {
	for _, version := range []string{"2.28.7", "2.28.9", "2.29.2"} {
		w := ras.Parallel(grid, 4, 100)
		w.Version = version
		w.Lose(grid[21].Peer, true, true)
		w.Lose(grid[22].Peer, true, false)
		var out bytes.Buffer
		if err := w.JSON(&out); err != nil {
			t.Fatal(err)
		}
		if valid := json.Valid(out.Bytes()); valid != (version == "2.29.2") {
			t.Errorf("%s is valid JSON: %t", version, valid)
		}
		a, err := nccl.Read(iotest.OneByteReader(&out))
		if err != nil || a.Cut || len(a.Comms) != 13 || len(a.Comms[0].Ranks) != 30 || len(a.Comms[0].Missing) != 2 ||
			a.Comms[0].Missing[0].Why != nccl.Dead || a.Comms[0].Missing[1].Why != nccl.Unresponsive {
			t.Errorf("%s: %+v, %v", version, a, err)
		}
	}
}

// What is right stays as it is.
func TestReadStrangeJSON(t *testing.T) {
	for text, want := range map[string]bool{
		`{"nccl_version": "2.29.7", "x": ["a", "b\"", "\\", {"a": 1, "b": "c : \" d"}, 1, true, null]}`: false,
		`{"x": "a" "nccl_version": "2.29.7"}`:                                     false,
		`{"x": 1` + "\n" + `"y": null "z": {} "zz": [] "nccl_version": "2.29.7"}`: false,
		`{"nccl_version": "2.29.7", "x" 1}`:                                       true,
		`{"nccl_version": "2.29.7", "x": 1 2}`:                                    true,
	} {
		a, err := nccl.Read(strings.NewReader(text))
		if err != nil || a.Version != "2.29.7" || a.Cut != want {
			t.Errorf("%s: %+v, %v", text, a, err)
		}
	}
}
