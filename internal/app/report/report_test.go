package report_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/pkg/report"
	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
	"github.com/nvnodetop/nvnodetop/test/stubs"
)

// accounts puts a squeue without jobs and a sacct into PATH, which prints a recorded output with the mark it is given.
// It keeps the lines whose ID it is asked for.
func accounts(t *testing.T, script string) {
	t.Helper()
	recorded, err := filepath.Abs("../../slurm/sacct/testdata/gpus.txt")
	if err != nil {
		t.Fatal(err)
	}
	feedtest.Squeue(t, `for a; do case $a in --format=*) echo "${a#--format=}" | sed 's/%i/JOBID/; s/%t/ST/; s/%A/JOBID/'; esac; done`)
	dir, _, _ := strings.Cut(os.Getenv("PATH"), ":")
	if script == "" {
		script = `for a; do case $a in --delimiter=*) mark=${a#*=} ;; --jobs=*) id=${a#*=} ;; esac; done
while IFS= read -r line; do
	case $line in "${id:-}"*) printf '%s\n' "$line" ;; esac
done <` + recorded + ` | sed "s/|MARK|/$mark/g"`
	}
	stubs.Write(t, dir, "sacct", script)
	t.Chdir(t.TempDir())
}

// A job that has ended has a report that nobody has watched, in each form, also under the older name.
func TestReportOfAnEndedJob(t *testing.T) {
	accounts(t, "")
	for _, args := range []string{"report 9", "track --job 9", "report --interval 1 9"} {
		code, out, errs := apptest.Run(t, strings.Fields(args)...)
		for _, want := range []string{"Job 9 multi\n", "COMPLETED, exit code 0, partition gpu, QOS normal, user alice",
			"8.00 given, use not known", "--time=02:30:00", "SLURM's accounting (sacct): all numbers"} {
			if code != cli.ExitOK || !strings.Contains(out, want) {
				t.Fatalf("%s: exit code %d, %q, no %q in\n%s", args, code, errs, want, out)
			}
		}
	}
	_, out, _ := apptest.Run(t, "report", "--format", "json", "9")
	var r report.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil || r.Accounting == nil || r.Accounting.CPUs != 8 {
		t.Fatalf("%v: %+v", err, r)
	}
	if _, out, _ = apptest.Run(t, "report", "--format", "csv", "9"); !strings.Contains(out, "\n9,multi,alice,") {
		t.Errorf("CSV\n%s", out)
	}
	if _, out, _ = apptest.Run(t, "report", "-f", "markdown", "9"); !strings.HasPrefix(out, "# Job 9 multi\n") {
		t.Errorf("Markdown\n%s", out)
	}
}

// The jobs of a user, a line each, with what is wasted and what is not known.
func TestReportOfAUser(t *testing.T) {
	accounts(t, "")
	for _, args := range []string{"report", "report --user", "report --user alice --days 2"} {
		code, out, errs := apptest.Run(t, strings.Fields(args)...)
		if code != cli.ExitOK || !strings.Contains(out,
			"12.00 given, at least 2.58 wasted; the use of 8.00 is") ||
			!strings.Contains(out, "\n  9 ") {
			t.Errorf("%s: exit code %d, %q\n%s", args, code, errs, out)
		}
	}
	_, out, _ := apptest.Run(t, "report", "--format", "json", "--user")
	var l report.List
	if err := json.Unmarshal([]byte(out), &l); err != nil || len(l.Jobs) != 3 || l.Total.Wasted != 2.58 {
		t.Errorf("%v: %+v", err, l)
	}
}

// Two jobs are compared; each may be a file. What a file says cannot reach the terminal.
func TestReportOfTwo(t *testing.T) {
	accounts(t, "")
	_, text, _ := apptest.Run(t, "report", "--format", "json", "9")
	text = strings.Replace(text, `"multi"`, `"\u001b[31mmulti"`, 1)
	if err := os.WriteFile("a.json", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, errs := apptest.Run(t, "report", "10", "a.json")
	if code != cli.ExitOK || !strings.HasPrefix(out, "Job 9 multi against Job 10 nomem\n") ||
		!strings.Contains(out, "CPUs") || strings.Contains(out, "\x1b") {
		t.Errorf("exit code %d, %q\n%s", code, errs, out)
	}
	if code, out, _ = apptest.Run(t, "report", "a.json"); code != cli.ExitOK || !strings.HasPrefix(out, "Job 9 multi\n") {
		t.Errorf("a file alone: exit code %d\n%s", code, out)
	}
}

// What cannot be reported is one line and an exit code.
func TestReportRefuses(t *testing.T) {
	accounts(t, "")
	if err := os.WriteFile("list.json", []byte(`{"version": 1, "jobs": []}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]struct {
		code int
		says string
	}{
		"7":                    {cli.ExitNoJobs, "SLURM's accounting does not show it"},
		"nothing":              {cli.ExitUsage, `"nothing" is neither the ID of a job nor a file: no such file`},
		"list.json":            {cli.ExitUsage, `"list.json" is not a report of a job`},
		"/dev/zero":            {cli.ExitUsage, `"/dev/zero" is not a file`},
		"1 2 3":                {cli.ExitUsage, "too many arguments (3)"},
		"--user alice 1":       {cli.ExitUsage, "--user and --days list jobs"},
		"--days 0":             {cli.ExitUsage, "--days must be a whole number from 1 to 366, such as 30, not 0"},
		"--user=a,b":           {cli.ExitUsage, `"a,b" is not the name of a user`},
		"--format pdf 1":       {cli.ExitUsage, `--format must be text, json, csv or markdown, not "pdf"`},
		"--from nothing":       {cli.ExitUsage, `--from: "nothing": no such file or directory`},
		"--from list.json":     {cli.ExitUsage, "not a recording"},
		"--from a 1 2":         {cli.ExitUsage, "--from takes one job"},
		"--record a.nvr":       {cli.ExitUsage, "--record is for one job that runs"},
		"--output= 1":          {cli.ExitUsage, "--output is empty"},
		"--interval 0.1 1":     {cli.ExitUsage, `--interval must be from 0.25 to 600 seconds, such as 5 or 30s, not "0.1"`},
		"7 9":                  {cli.ExitNoJobs, `SLURM's accounting does not show job "7"`},
		"--output /no/where 9": {cli.ExitUsage, "--output: open /no/where"},
	} {
		code, out, errs := apptest.Run(t, append([]string{"report"}, strings.Fields(args)...)...)
		if code != want.code || out != "" || !strings.Contains(errs, want.says) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %d and %q", args, code, out, errs, want.code,
				want.says)
		}
	}
}

// Where SLURM keeps no accounts, or they do not answer, the line says so.
func TestReportWithoutAccounts(t *testing.T) {
	for script, says := range map[string]string{
		"echo 'Slurm accounting storage is disabled' >&2; exit 1": "its accounting storage is disabled",
		"echo 'sacct: error: Problem talking to the database: Connection refused' >&2; exit 1": "slurmdbd not responding: " +
			"Problem talking to the database: Connection refused",
		"sleep 60": "SLURM's accounting did not answer within 1s",
	} {
		accounts(t, script)
		for _, args := range []string{"report --timeout 1s 9", "track --timeout 1s --job 9"} {
			code, out, errs := apptest.Run(t, strings.Fields(args)...)
			if code != cli.ExitNoJobs || out != "" || !strings.Contains(errs, says) || strings.Count(errs, "\n") != 1 {
				t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", args, code, out, errs, says)
			}
		}
	}
}
