package slurm

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
)

// fixed are marks with a nonce that tests know.
var fixed = marks{begin: "<NONCE<", next: "|NONCE|", end: ">NONCE>"}

// print is the output of squeue for records, in answer to m.
func (m marks) print(records ...record) []byte {
	var b strings.Builder
	for _, r := range records {
		f := []string{r.id, r.number, r.state, r.word, r.priority, r.partition, r.user, r.start, r.end, r.limit,
			r.nodes, r.gres, r.reason, r.nodelist, r.name}
		b.WriteString(m.begin + strings.Join(f, m.next) + m.end + "\n")
	}
	return []byte(b.String())
}

func TestMarksFormat(t *testing.T) {
	want := "<NONCE<%i|NONCE|%A|NONCE|%t|NONCE|%T|NONCE|%Q|NONCE|%P|NONCE|%u|NONCE|%S|NONCE|%e|NONCE|%l|NONCE|%D|NONCE|%b|NONCE|%r|NONCE|%N|NONCE|%j>NONCE>"
	if got := fixed.squeueFormat(); got != want {
		t.Errorf("format:\n got %s\nwant %s", got, want)
	}
	if a, b := newMarks(), newMarks(); a == b {
		t.Errorf("two calls share the marks %v", a)
	}
}

func TestParseSurvivesEveryName(t *testing.T) {
	forger := newMarks() // knows how marks look, but not the nonce
	for _, name := range []string{
		"", " ", "my job with  spaces", "a|b|c", "tab\there", "esc\x1b[31mred", "тест-日本語-ü", "two\nlines\n", "\n",
		"\xff\xfe", "100%j",
		forger.end + "\n" + forger.begin + "99", "<NONC" + forger.next, ">", "|", strings.Repeat("x", 4096),
	} {
		want := []record{{id: "1", name: name}, {id: "2", name: "next"}}
		got, err := fixed.parseSqueue(fixed.print(want...))
		if err != nil {
			t.Errorf("name %q: %v", name, err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(record{})); diff != "" {
			t.Errorf("name %q (-want +got):\n%s", name, diff)
		}
	}
}

func TestParseRecorded(t *testing.T) {
	out, err := os.ReadFile("testdata/squeue.txt")
	if err != nil {
		t.Fatal(err)
	}
	records, err := fixed.parseSqueue(out)
	if err != nil {
		t.Fatal(err)
	}
	var running, waiting, names []string
	for _, r := range records {
		if !r.mayRun() {
			waiting = append(waiting, r.id)
			continue
		}
		running = append(running, r.id)
		names = append(names, r.name)
	}
	if diff := cmp.Diff(strings.Fields("1 2_1 2_2 3 4 5 6 7 8 9 10 11 12 15+0 15+1"), running); diff != "" {
		t.Errorf("running (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"2_[3-5%2]", "19"}, waiting); diff != "" {
		t.Errorf("waiting (-want +got):\n%s", diff)
	}
	wantNames := []string{
		"train", "arr", "arr", "my job with  spaces", "a|b|c", "tab\there", "esc\x1b[31mred", "тест-日本語-ü", "",
		"two\nlines\nJobId=1 JobName=x\n     Nodes=n01 CPU_IDs=0 Mem=0 GRES=gpu:a100:4(IDX:0-3)", "ends in newline\n",
		"\xff\xfe bad utf8 %j %i", "uneven", "sbatch", "sbatch",
	}
	if diff := cmp.Diff(wantNames, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	want := cluster.Job{
		ID: "1", Number: "1", Name: "train", User: "root", Partition: "gpu", Limit: 24 * time.Hour,
		Start: time.Date(2026, 11, 20, 20, 57, 42, 0, time.UTC), End: time.Date(2026, 11, 21, 20, 57, 42, 0, time.UTC),
	}
	if diff := cmp.Diff(want, records[0].newJob()); diff != "" {
		t.Errorf("job 1 (-want +got):\n%s", diff)
	}
}

func TestParsePassesOverNoise(t *testing.T) {
	out := "CLUSTER: test\n" + string(fixed.print(record{id: "1"})) + "site notice\n"
	got, err := fixed.parseSqueue([]byte(out))
	if err != nil || len(got) != 1 {
		t.Errorf("%d records, %v", len(got), err)
	}
}

// header is the first line of squeue's output, even without jobs.
var header = strings.NewReplacer("%i", "JOBID", "%A", "JOBID", "%t", "ST", "%T", "STATE", "%Q", "PRIORITY", "%P",
	"PARTITION", "%u", "USER", "%S",
	"START_TIME", "%e", "END_TIME", "%l", "TIME_LIMIT",
	"%D", "NODES", "%b", "TRES_PER_NODE", "%r", "REASON", "%N", "NODELIST", "%j", "NAME").Replace(fixed.squeueFormat()) +
	"\n"

// Only squeue can say that there are no jobs: the output of a wrapper or a proxy in its place cannot.
func TestParseWithoutJobs(t *testing.T) {
	for _, out := range []string{"", "\n", header, "CLUSTER: test\n" + header + "site notice\n",
		header + "CLUSTER: b\n" + header} {
		if got, err := fixed.parseSqueue([]byte(out)); err != nil || len(got) != 0 {
			t.Errorf("%q: %d records, %v", out, len(got), err)
		}
	}
	for _, out := range []string{"<html>502 Bad Gateway</html>", "\x00\x01\x02", "site notice\n", header[1:],
		strings.ReplaceAll(header, "NONCE", "OTHER")} {
		if got, err := fixed.parseSqueue([]byte(out)); err == nil {
			t.Errorf("%q: %d records", out, len(got))
		}
	}
	got, err := fixed.parseSqueue([]byte(header +
		string(fixed.print(record{id: "1", number: "1", state: "ST", name: "JOBID"}))))
	if err != nil || len(got) != 1 {
		t.Errorf("with a header: %d records, %v", len(got), err)
	}
}

// A record that is not understood names its job, and hides no other one.
func TestParseBrokenRecords(t *testing.T) {
	whole := func(id string) string { return string(fixed.print(record{id: id, number: id, name: "x"})) }
	next := whole("2")
	for name, tt := range map[string]struct{ out, ID, Number, Broken string }{
		"too few fields":  {strings.Replace(whole("1"), fixed.next, "", 2), "11", "", "expected 15 fields, got 13"},
		"too many fields": {strings.Replace(whole("1"), "x", fixed.next, 1), "1", "1", "expected 15 fields, got 16"},
		"no end":          {strings.TrimSuffix(whole("1"), "x"+fixed.end+"\n"), "1", "1", ""},
		"no id":           {fixed.begin + fixed.end, "?", "", "expected 15 fields, got 1"},
	} {
		got, err := fixed.parseSqueue([]byte(tt.out + next))
		if err != nil || len(got) != 2 || got[1].id != "2" {
			t.Fatalf("%s: %+v, %v", name, got, err)
		}
		broken := ""
		if got[0].broken != nil {
			broken = got[0].broken.Error()
		}
		if got[0].id != tt.ID || got[0].number != tt.Number || broken != tt.Broken {
			t.Errorf("%s: %q %q %q, want %q %q %q", name, got[0].id, got[0].number, broken, tt.ID, tt.Number, tt.Broken)
		}
	}
	cut := strings.TrimSuffix(next, fixed.end+"\n")
	if got, err := fixed.parseSqueue([]byte(whole("1") + cut)); err == nil ||
		!strings.Contains(err.Error(), "ends inside a record") {
		t.Errorf("jobs are missing: %+v, %v", got, err)
	}
}

// What a job is follows from what squeue prints about it, not from a list of states.
func TestRecordStates(t *testing.T) {
	for text, want := range map[string]string{ // state, word, reason, node list
		"R RUNNING None n1":            "runs",
		"SI SIGNALING None n1":         "runs",
		"RS RESIZING None n1":          "runs",
		"QQ QUITE_NEW None n1":         "runs",
		"S SUSPENDED None n1":          "runs suspended",
		"ST STOPPED None n1":           "runs suspended",
		"CG COMPLETING None n1":        "ends",
		"SO STAGE_OUT None n1":         "ends",
		"PD PENDING Priority ":         "waits: Priority",
		"CF CONFIGURING None n1":       "waits: nodes are booting",
		"SE SPECIAL_EXIT job_is_held ": "waits: SPECIAL_EXIT: job_is_held",
		"RV REVOKED None ":             "waits: REVOKED: no nodes",
		"RQ  None ":                    "waits: RQ: no nodes",
		"QQ QUITE_NEW BeginTime ":      "waits: QUITE_NEW: BeginTime",
		"R RUNNING None (null)":        `waits: RUNNING: nodes unknown: node list "(null)" not understood: invalid host name "(null)"`,
		"RH REQUEUE_HOLD BeginTime n[": `waits: REQUEUE_HOLD: BeginTime; nodes unknown: node list "n[" not understood: unmatched [`,
		"R RUNNING None ":              "waits: RUNNING: no nodes",
	} {
		f := strings.SplitN(text, " ", 4)
		c := newClient(nil)
		c.keepJobs([]record{{id: "1", number: "1", state: f[0], word: f[1], reason: f[2], nodelist: f[3]}})
		got := "ends"
		switch {
		case len(c.jobs) == 1:
			if got = "runs"; c.jobs[0].Suspended {
				got += " suspended"
			}
		case len(c.pending) == 1:
			got = "waits: " + c.pending[0].Reason
		}
		if got != want || got == "ends" && (len(c.ended) != 1 || c.ended[0].State != cluster.JobCompleting) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// SLURM gives a held job the time from which it may start, which is no plan to start it.
func TestHeldRecorded(t *testing.T) {
	out, err := os.ReadFile("testdata/squeue-held.txt")
	if err != nil {
		t.Fatal(err)
	}
	records, err := fixed.parseSqueue(out)
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(nil)
	c.keepJobs(records)
	if len(c.jobs) != 1 || c.jobs[0].Name != "run" {
		t.Errorf("jobs %+v", c.jobs)
	}
	start := time.Date(2026, 11, 26, 22, 47, 49, 0, time.UTC)
	want := map[string]struct {
		Reason string
		Start  time.Time
	}{
		"special":    {"SPECIAL_EXIT: job requeued in held state", time.Time{}},
		"requeued":   {"job requeued in held state", time.Time{}},
		"mine":       {"JobHeldUser", time.Time{}},
		"theirs":     {"JobHeldAdmin", time.Time{}},
		"gpus":       {"BeginTime", start},
		"a per|task": {"BeginTime", start},
	}
	for i := range c.pending {
		p := &c.pending[i]
		if w := want[p.Name]; p.Reason != w.Reason || !p.Start.Equal(w.Start) {
			t.Errorf("%s: %q, starts %v, want %q, %v", p.Name, p.Reason, p.Start, w.Reason, w.Start)
		}
		delete(want, p.Name)
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
}

func TestRecordJob(t *testing.T) {
	r := record{id: "2_1", number: "16", state: "R", partition: "gpu", user: "alice", start: "2026-11-20T18:22:36",
		end: "2026-11-20T19:22:36", limit: "1:00:00", name: "arr"}
	want := cluster.Job{
		ID: "2_1", Number: "16", Name: "arr", User: "alice", Partition: "gpu", Limit: time.Hour,
		Start: time.Date(2026, 11, 20, 18, 22, 36, 0, time.UTC), End: time.Date(2026, 11, 20, 19, 22, 36, 0, time.UTC),
	}
	if diff := cmp.Diff(want, r.newJob()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for state, end := range map[string]time.Time{
		"S":  {}, // its limit does not run
		"ST": want.End,
	} {
		r.state = state
		if job := r.newJob(); !job.Suspended || !job.End.Equal(end) {
			t.Errorf("state %s: suspended %v, ends %v; want %v", state, job.Suspended, job.End, end)
		}
	}
	r.start, r.end, r.limit = "N/A", "NONE", "UNLIMITED"
	if job := r.newJob(); !job.Start.IsZero() || !job.End.IsZero() || job.Limit != 0 {
		t.Errorf("absent times became %v, %v, %v", job.Start, job.End, job.Limit)
	}
}

func TestRecordPending(t *testing.T) {
	eight := 8
	r := record{id: "15", state: "PD", partition: "gpu", nodes: "2", gres: "gres:gpu:4", reason: "Resources",
		start: "N/A", name: "p"}
	want := cluster.PendingJob{ID: "15", Name: "p", Partition: "gpu", Nodes: 2, GPUs: &eight, Reason: "Resources"}
	if diff := cmp.Diff(want, r.newPendingJob(nil)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	r.state, r.reason = "CF", "None"
	if got := r.newPendingJob(nil).Reason; got != "nodes are booting" {
		t.Errorf("reason of a job whose nodes boot: %q", got)
	}
}

// squeue prints UTC; screens print times in the user's zone.
func TestParseTime(t *testing.T) {
	before := time.Local
	t.Cleanup(func() { time.Local = before })
	time.Local = time.FixedZone("JST", 9*3600)
	if got := parseTime("2026-11-20T18:22:36").Format(time.RFC3339); got != "2026-11-21T03:22:36+09:00" {
		t.Errorf("got %s", got)
	}
}

func TestParseLimit(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"0:30": 30 * time.Second, "5:00": 5 * time.Minute, "1:00:00": time.Hour, "1-00:00:00": 24 * time.Hour,
		"2-12:30:05": 60*time.Hour + 30*time.Minute + 5*time.Second,
		"UNLIMITED":  0, "NOT_SET": 0, "INVALID": 0, "": 0, "7": 0, "1:2:3:4": 0, "-1:00": 0, "x-1:00": 0,
		"65535-00:00:00": 0,
	} {
		if got := parseLimit(s); got != want {
			t.Errorf("parseLimit(%q) = %v, want %v", s, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(fixed.print(record{id: "1", name: "a"}, record{id: "2_[4-6%3]", state: "PD", nodes: "1", gres: "gres:gpu:1",
		limit: "1-00:00:00"}))
	f.Add([]byte("<NONCE<>NONCE>"))
	f.Add([]byte("<NONCE<<NONCE<|NONCE|"))
	f.Fuzz(func(t *testing.T, out []byte) {
		records, err := fixed.parseSqueue(out)
		if err != nil {
			return
		}
		for _, r := range records {
			if limit := r.newJob().Limit; limit < 0 || limit > command.MaxLimit {
				t.Fatalf("limit %v of %q", limit, r.limit)
			}
			if p := r.newPendingJob(nil); p.GPUs != nil && *p.GPUs < 0 {
				t.Fatalf("%d GPUs from %q on %q nodes", *p.GPUs, r.gres, r.nodes)
			}
		}
		records = slices.DeleteFunc(records, func(r record) bool { return r.broken != nil })
		again, err := fixed.parseSqueue(fixed.print(records...))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(records, again, cmp.AllowUnexported(record{}), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("printed and parsed again (-want +got):\n%s", diff)
		}
	})
}
