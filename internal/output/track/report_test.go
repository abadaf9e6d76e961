package track

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// documented is the report of the documentation of gpu_tracker, from a program that uses a GPU.
func documented(t *testing.T) (r Report, text string) {
	t.Helper()
	text = read(t, "testdata/documented.json")
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	return r, text
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestText(t *testing.T) {
	r, _ := documented(t)
	var out bytes.Buffer
	if err := Text(&out, &r); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(read(t, "testdata/documented.txt"), out.String()); diff != "" {
		t.Error(diff)
	}
}

// TestJSON compares names, their order and their values. Python writes 0.0 where Go writes 0.
func TestJSON(t *testing.T) {
	r, want := documented(t)
	var out bytes.Buffer
	if err := JSON(&out, &r); err != nil {
		t.Fatal(err)
	}
	whole := regexp.MustCompile(`\.0(,?\n)`)
	if diff := cmp.Diff(whole.ReplaceAllString(want, "$1"), out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestUnits(t *testing.T) {
	for _, name := range []string{"bytes", "kilobytes", "megabytes", "gigabytes", "terabytes"} {
		if err := CheckSize(name); err != nil {
			t.Error(err)
		}
	}
	if err := CheckSize("GB"); err == nil ||
		err.Error() != `must be bytes, kilobytes, megabytes, gigabytes or terabytes, not "GB"` {
		t.Error(err)
	}
	if err := CheckTime("weeks"); err == nil || err.Error() != `must be seconds, minutes, hours or days, not "weeks"` {
		t.Error(err)
	}
	if got := sizeOf(sizes, "gigabytes") / sizeOf(sizes, "megabytes"); got != 1000 {
		t.Errorf("a gigabyte has %v megabytes", got)
	}
	if got := sizeOf(times, "days") / sizeOf(times, "minutes"); got != 24*60 {
		t.Errorf("a day has %v minutes", got)
	}
}
