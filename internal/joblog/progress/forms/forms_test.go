package forms

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// splitLines cuts the tails of ../testdata into lines.
func splitLines(t *testing.T) (all []string) {
	t.Helper()
	files, err := filepath.Glob("../testdata/tails/*.log")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tails: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		escape := re("\x1b\\[[0-9;?]*[A-Za-z]")
		data = escape.ReplaceAll(data, nil)
		for line := range bytes.FieldsFuncSeq(data, func(r rune) bool { return r == '\n' || r == '\r' || r == '\b' }) {
			all = append(all, strings.TrimRight(string(appendLower(nil, line)), " "))
		}
	}
	return all
}

// Each row of the table recognizes a line of a tail, and its groups have names that are known.
func TestEveryRowHasALine(t *testing.T) {
	all := splitLines(t)
	for _, f := range forms {
		found := false
		for _, line := range all {
			if at := prefix.FindStringIndex(line); at != nil {
				line = line[at[1]:]
			}
			var p pairs
			if found = f.readLine(&p, line, &Said{}); found {
				if !hasHint([]byte(line)) {
					t.Errorf("%s: %q has no hint", f.name, line)
				}
				break
			}
		}
		if !found {
			t.Errorf("%s: no tail has a line for %q %v", f.name, f.needs, f.is)
		}
		for _, name := range f.names() {
			if name != "" && groups[name] == nil {
				t.Errorf("%s: no group is called %q", f.name, name)
			}
		}
	}
}

func TestTokens(t *testing.T) {
	for _, tc := range []struct{ line, want string }{
		{"step 1,200/10,000", "step 1200/10000"},
		{"3 of 10 replicas", "3/10 replicas"},
		{"iter=301/1.5e5 time/iter=412ms", "iter = 301/150000 time/iter = 412ms"},
		{"11/27/2026 3/10/24", "? ?"},
		{"10.0.0.1:5072 v1.2.3 2.8.0 1200/4f2a", "? v1.2.3 ? ?"},
		{"2026-11-27 03:11:02 1:02:03", "? 11462s 3723s"},
		{"loss:-0.31 - lr 2e-05, nan", "loss : -0.31 - lr 2e-05 , NaN"},
		{"checkpoint-500 step_1200 h100", "checkpoint-500 step_1200 h100"},
		{"2h14m 9.87g 0.43 s/step", "8040s 9.87g 0.43 s/step"},
		{"12345it", "12345it"},
	} {
		var b []string
		for _, k := range tokensOf(tc.line, nil) {
			b = append(b, k.describe())
		}
		if got := strings.Join(b, " "); got != tc.want {
			t.Errorf("%q: %s, want %s", tc.line, got, tc.want)
		}
	}
}

// describe is a token as text.
func (t *token) describe() string {
	switch t.kind {
	case value:
		return number(t.num) + t.text
	case part:
		return number(t.num) + "/" + number(t.of)
	case clock:
		return number(t.num) + "s"
	case junk:
		return "?"
	}
	return t.text
}

func TestSpans(t *testing.T) {
	for _, tc := range []struct {
		text string
		want time.Duration // negative: none
	}{
		{"1:02:03", time.Hour + 2*time.Minute + 3*time.Second}, {"24:27", 24*time.Minute + 27*time.Second},
		{"1 day, 3:57:05", 27*time.Hour + 57*time.Minute + 5*time.Second}, {"2 days", 48 * time.Hour},
		{"2h14m", 134 * time.Minute}, {"1m 48s", 108 * time.Second}, {"9s", 9 * time.Second},
		{"5.5 minutes", 330 * time.Second}, {"317:05:11", 317*time.Hour + 5*time.Minute + 11*time.Second},
		{"", -1}, {"12", -1}, {"9x", -1}, {"?", -1}, {"1:2", -1}, {"99999999999999 days", -1},
	} {
		got, is := parseSpan(tc.text)
		if is != (tc.want >= 0) || is && got != tc.want {
			t.Errorf("%q: %v %v, want %v", tc.text, got, is, tc.want)
		}
	}
}

func TestMeanings(t *testing.T) {
	for _, tc := range []struct {
		key  string
		want Quantity
		is   bool
	}{
		{"loss", Loss, true}, {"train/loss", Loss, true}, {"lm loss", Loss, true}, {"reduced_train_loss", Loss, true},
		{"val_loss", 0, false}, {"eval/loss", 0, false}, {"policy_loss", 0, false}, {"loss_scale", 0, false},
		{"train_loss_epoch", 0, false}, {"best loss", 0, false},
		{"global_step", Step, true}, {"num_updates", Step, true}, {"micro_step", 0, false}, {"step size", 0, false},
		{"warmup steps", 0, false}, {"steps_per_print", 0, false}, {"batch size", 0, false}, {"total_timesteps", 0, false},
		{"total_steps", Total, true}, {"max_steps", Total, true}, {"total optimization steps", Total, true},
		{"num epochs", Epochs, true}, {"epoch", Epoch, true}, {"learning rate", LearningRate, true},
		{"elapsed time per iteration ms", Seconds, true}, {"sec_per_step", Seconds, true}, {"step_time_s", Seconds, true},
		{"time", 0, false}, {"data_time", 0, false}, {"eta", Left, true}, {"time remaining", Left, true}, {"mfu", MFU, true},
	} {
		got, sure := meaningOf(atomsOf(strings.Fields(tc.key), nil))
		if (sure > 0) != tc.is || tc.is && got != tc.want {
			t.Errorf("%q means %d (%d), want %d %v", tc.key, got, sure, tc.want, tc.is)
		}
	}
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
