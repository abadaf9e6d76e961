package smi

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// liar is a node that writes what it wants. It implements install.Shell.
type liar struct{ says string }

// Run implements install.Shell.
func (l liar) Run(context.Context, string, io.Reader) (*link.Pipe, error) {
	in, w := io.Pipe()
	go func() { _, _ = io.Copy(io.Discard, in) }()
	kill := func() { _ = in.Close() }
	return &link.Pipe{In: w, Out: strings.NewReader(l.says), Words: link.NewWords(), Kill: kill,
		Wait: func() link.Exit { return link.Exit{Known: true} }}, nil
}

// row is a line of nvidia-smi with one value for all metrics.
func row(before, value string, whole bool) string {
	cells := strings.Split(before, ", ")
	for len(cells) <= strings.Count(columns.rowFields(whole), ",") {
		cells = append(cells, value)
	}
	return strings.Join(cells, ", ") + "\n"
}

// TestHostileNumbers: a number that nvidia-smi cannot mean reaches no report.
func TestHostileNumbers(t *testing.T) {
	for _, value := range []string{"1e308", "-1e308", "-5", "NaN", "Inf", "1e400", "0x1p1023", "99999999999999999999",
		"-0x1", "\x1b[2J", ""} {
		says := mark + "\nhost n\nready\n" + row("0, GPU-a, bus, H200, s, v, 1.2, N/A", value, all) + "end 0\n" +
			"apps\nGPU-a, 7, " + value + ", /bin/x\ndone 0\n" + row("0, GPU-a", value, changing) +
			row("0, GPU-a", value, changing)
		p, err := Start(t.Context(), liar{says}, "a test")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(p.Out)
		if err != nil {
			t.Fatal(err)
		}
		reports := 0
		for r := wire.NewReader(strings.NewReader(strings.TrimPrefix(string(text), wire.Magic+"\n"))); ; {
			var m wire.Message
			if err := r.Next(&m); err != nil {
				break
			}
			if m.Report == nil {
				continue
			}
			reports++
			for id := range metric.All(metric.GPU) {
				if x, ok := m.Report.GPUs[0].Values.Get(id); ok && (x < -5 || math.IsInf(x, 0) || math.IsNaN(x)) {
					t.Errorf("%q: %v is %v", value, id, x)
				}
			}
			for _, p := range m.Report.Processes {
				if p.GPUMemory != nil && *p.GPUMemory > 1<<60 {
					t.Errorf("%q: a process has %d bytes", value, *p.GPUMemory)
				}
			}
			if _, err := json.Marshal(m.Report); err != nil {
				t.Errorf("%q: %v", value, err)
			}
		}
		if reports == 0 {
			t.Errorf("%q: no report in %.300q", value, text)
		}
	}
}

// endless never ends a line.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// flood is a node that writes some text, and then an endless line.
type flood struct{ says string }

func (f flood) Run(ctx context.Context, script string, input io.Reader) (*link.Pipe, error) {
	p, err := liar{}.Run(ctx, script, input)
	p.Out = io.MultiReader(strings.NewReader(f.says), endless{})
	return p, err
}

// TestEndlessLine: an endless line ends the session, wherever it begins.
func TestEndlessLine(t *testing.T) {
	card := row("0, GPU-a, bus, H200, s, v, 1.2, N/A", "1", all)
	known := mark + "\nready\n" + card + "end 0\n"
	for _, says := range []string{"", mark + "\n", mark + "\nready\n", known} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		p, err := Start(ctx, flood{says}, "a test")
		if (err == nil) != (says == known) || ctx.Err() != nil {
			t.Errorf("%.40q: %v", says, err)
		}
		if err == nil {
			if text, err := io.ReadAll(p.Out); len(text) > 64<<10 || err != nil {
				t.Errorf("%d bytes, %v", len(text), err)
			}
		}
		cancel()
	}
}

// The session's job comes from its cgroup, or from the daemon of a step where a SLUID names the cgroup.
func TestJobOfTheSession(t *testing.T) {
	const sluid = "0::/system.slice/slurmstepd.scope/sEKNKTV3WPV500/step_extern/user/task_special"
	for name, tc := range map[string]struct{ says, job, sluid string }{
		"in none":            {"0::/user.slice/user-1.slice/session-2.scope", "", ""},
		"by number":          {"0::/system.slice/slurmstepd.scope/job_12/step_extern/user/task_special", "12", ""},
		"version 1":          {"6:freezer:/slurm/uid_1/job_12/step_0\n0::/", "12", ""},
		"by SLUID":           {sluid + "\nstepd slurmstepd: [12.extern] ", "12", ""},
		"by SLUID, unknown":  {sluid, "", "sEKNKTV3WPV500"},
		"by SLUID, no title": {sluid + "\nstepd /usr/sbin/slurmstepd ", "", "sEKNKTV3WPV500"},
		"several steps":      {sluid + "\nstepd slurmstepd: [12.0] \nstepd slurmstepd: [12.extern] ", "12", ""},
		"not of a scope":     {"1:name=systemd:/x/sEKNKTV3WPV500/step_0", "", ""},
	} {
		says := mark + "\nhost n\n" + tc.says + "\nready\n" + row("0, GPU-a, bus, H200, s, v, 1.2, N/A", "1", all) +
			"end 0\n"
		p, err := Start(t.Context(), liar{says}, "a test")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(p.Out)
		if err != nil {
			t.Fatal(err)
		}
		var m wire.Message
		if err := wire.NewReader(strings.NewReader(strings.TrimPrefix(string(text),
			wire.Magic+"\n"))).Next(&m); err != nil || m.Hello == nil {
			t.Fatal(name, err)
		}
		if m.Hello.Job != tc.job || m.Hello.SLUID != tc.sluid {
			t.Errorf("%s: job %q, SLUID %q, want %q and %q", name, m.Hello.Job, m.Hello.SLUID, tc.job, tc.sluid)
		}
	}
}
