package recording

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the columns of this version anew")

// Packed numbers stand in columns in the order of the table of metrics: with other columns, recordings of this version
// would be read wrong.
func TestColumnsBelongToTheVersion(t *testing.T) {
	var got strings.Builder
	for _, c := range gpuColumns {
		fmt.Fprintln(&got, "gpu", c.id.Row().Key, c.id.Row().Decimals)
	}
	for _, c := range hostColumns {
		fmt.Fprintln(&got, "host", c.id.Row().Key, c.id.Row().Decimals)
	}
	path := fmt.Sprintf("testdata/columns-%d.txt", Version)
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || got.String() != string(want) {
		t.Errorf("%v: the metrics have changed: raise Version, so that older recordings are not read with these "+
			"columns\n%s", err, got.String())
	}
}
