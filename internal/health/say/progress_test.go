package say

import (
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
)

func pointer[T any](v T) *T { return &v }

// What a log says becomes words; what it does not say has none.
func TestProgress(t *testing.T) {
	now := time.Date(2026, 11, 27, 15, 0, 0, 0, time.UTC)
	run := progress.Progress{Form: "general", At: now, Step: pointer[int64](41_200), Total: pointer[int64](100_000),
		Scope: progress.OfRun, SecondsPerStep: pointer(3.1), Loss: pointer(2.3142),
		Slower: &progress.Slower{Before: 2.4, Since: now.Add(-12*time.Hour - 50*time.Minute)}}
	bare := progress.Progress{Form: "general", At: now, Step: pointer[int64](999)}
	epochs := progress.Progress{Form: "Keras", At: now, Step: pointer[int64](200), Total: pointer[int64](400),
		Scope: progress.OfEpoch, Epoch: pointer(3.0), Epochs: pointer[int64](10), SecondsPerStep: pointer(0.0032),
		Diverged: true, Slower: &progress.Slower{Before: 0.002, Since: now.Add(-20 * time.Hour)}}
	old := run
	old.At = now.Add(-time.Hour)
	for _, test := range []struct {
		name    string
		p       progress.Progress
		limit   time.Duration // 0: none
		silence *progress.Silence
		want    string
	}{
		{"too late", run, 16*time.Hour + 38*time.Minute, nil, "step 41,200 of 100,000 | 3.1 s/step (2.4 until 02:10) | " +
			"loss 2.31 | ends in 51 h: 34 h after its limit | at this pace it reaches 60 %"},
		{"in time", run, 60 * time.Hour, nil, "step 41,200 of 100,000 | 3.1 s/step (2.4 until 02:10) | loss 2.31 | " +
			"ends in 51 h: 9.4 h before its limit"},
		{"no limit", run, 0, nil, "step 41,200 of 100,000 | 3.1 s/step (2.4 until 02:10) | loss 2.31 | ends in 51 h"},
		{"silent", run, 16 * time.Hour, &progress.Silence{Since: now.Add(-12 * time.Minute), Usual: 10 * time.Second},
			"step 41,200 of 100,000 | 3.1 s/step (2.4 until 02:10) | loss 2.31 | log silent for 12 min, usually 10 s"},
		{"an old line", old, 16 * time.Hour, nil,
			"step 41,200 of 100,000 | 3.1 s/step (2.4 until 02:10) | loss 2.31"},
		{"a step only", bare, 16 * time.Hour, nil, "step 999"},
		{"over", func() progress.Progress { p := run; p.Step = p.Total; return p }(), time.Hour, nil,
			"step 100,000 of 100,000 | 3.1 s/step (2.4 until 02:10) | loss 2.31"},
		{"epochs", epochs, 0, nil, "epoch 3 of 10, step 200 of 400 | 3.2 ms/step (2.0 until 19:00 on 26 Nov) | " +
			"loss is NaN or inf"},
		{"from the power", progress.Progress{At: now, SecondsPerStep: pointer(14.2), Source: progress.Measured}, time.Hour,
			nil, "14 s/step by the GPUs' power"},
	} {
		j := &cluster.JobView{Progress: &cluster.JobProgress{Job: "7", Progress: test.p, Silence: test.silence}}
		if test.limit > 0 {
			j.End = now.Add(test.limit)
		}
		if got := strings.Join(Progress(j, now), " | "); got != test.want {
			t.Errorf("%s:\n%s, want\n%s", test.name, got, test.want)
		}
		j.Suspended = true
		if j.Forecast(now) != nil {
			t.Errorf("%s: a suspended job ends", test.name)
		}
	}
	if got := Progress(&cluster.JobView{}, now); got != nil {
		t.Errorf("nothing is known: %q", got)
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -123: "-123", -1234567: "-1,234,567"} {
		if got := withCommas(n); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

// The pace is compared with that of an earlier job; small differences are none.
func TestEarlierRun(t *testing.T) {
	now := time.Date(2026, 11, 27, 15, 0, 0, 0, time.UTC)
	for seconds, want := range map[float64]string{2.4: "9 % faster than 48102 (24 Nov)",
		2.66: "as fast as 48102 (24 Nov)", 3.3: "25 % slower than 48102 (24 Nov)",
		26.4: "10 times as slow as 48102 (24 Nov)"} {
		p := progress.Progress{SecondsPerStep: &seconds,
			Earlier: &progress.Earlier{Job: "48102", Seen: now.Add(-72 * time.Hour), SecondsPerStep: 2.64}}
		if got := Earlier(&cluster.JobProgress{Progress: p}, now); got != want {
			t.Errorf("%v s: %q, want %q", seconds, got, want)
		}
		p.Earlier.Seen = now.Add(-time.Hour)
		if got := Earlier(&cluster.JobProgress{Progress: p}, now); strings.Contains(got, "Nov") {
			t.Errorf("an hour later: %q", got)
		}
	}
}
