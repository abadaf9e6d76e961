package app

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
	"github.com/nvnodetop/nvnodetop/test/stubs"
)

// panicEnv makes the program panic in that way.
const panicEnv = "NVNODETOP_APP_TEST_PANIC"

func TestMain(m *testing.M) {
	panicking(os.Getenv(panicEnv))
	apptest.Main(m, apptest.App{Main: Main, Run: Run, OnCluster: os.Getenv(pastEnv) != ""})
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"abc":                                   `no command "abc" (nvnodetop --help lists them)`,
		"5s6":                                   `POLL must be a time from 250ms to 10m, such as 5s or 2m, not "5s6"`,
		"lst":                                   `no command "lst", did you mean "list"? (nvnodetop --help lists them)`,
		"Docter gpu01":                          `no command "Docter", did you mean "doctor"?`,
		"version":                               `no command "version" (--version prints the version)`,
		"man":                                   `no command "man" (nvnodetop help prints`,
		"completion tcsh":                       `completion takes the name of a shell: bash, zsh or fish, not "tcsh"`,
		"kill 123":                              `no command "kill" (the page of processes sends signals)`,
		"help lst":                              `no command "lst", did you mean "list"?`,
		"--demo foo":                            `--demo takes a size such as 64x8, not "foo"`,
		"--demo 4x":                             `--demo takes a size such as 64x8, not "4x"`,
		"--theme drak":                          `not "drak", did you mean "dark"?`,
		"--transport shh":                       `not "shh", did you mean "ssh"?`,
		"--themes dark":                         `unknown flag: --themes, did you mean "--theme"? (nvnodetop --help`,
		"snapshot --formt csv":                  `unknown flag: --formt, did you mean "--format"? (nvnodetop snapshot --help`,
		"snapshot --format jsno":                `not "jsno", did you mean "json"?`,
		"0":                                     `POLL must be a time from 250ms to 10m`,
		"5 61":                                  `DISPLAY must be a time from 100ms to 1m, such as 5s or 500ms, not "61"`,
		"--interval abc":                        `--interval must be a time from 250ms to 10m, such as 5s or 2m, not "abc"`,
		"--interval=abc":                        `--interval must be a time from 250ms to 10m`,
		"--interval 2m 5":                       "--interval is POLL: both cannot be given",
		"--interval":                            "flag needs an argument: --interval",
		"config 5 61":                           `DISPLAY must be a time from 100ms to 1m`,
		"config --theme blue":                   `--theme must be auto, dark, light, high-contrast, colorblind or mono, not "blue"`,
		"config --once":                         "unknown flag: --once",
		"config 5 2 1":                          "too many arguments (3)",
		"--timeout 0s":                          `--timeout must be a time from 1ms to 24h, such as 5s or 2m, not "0s"`,
		"5 2 1":                                 "too many arguments (3)",
		"--nonsense":                            "unknown flag: --nonsense",
		"--demo -o x y":                         `--only takes numbers, UUIDs and PCI bus IDs of GPUs, such as 0 or 0,3, not "x"`,
		"-3":                                    `POLL must be a time from 250ms to 10m, such as 5s or 2m, not "-3"`,
		"--demo=4":                              "--demo=4: expected NODESxGPUS",
		"--demo 2x99":                           "--demo=2x99: expected NODESxGPUS",
		"--demo=3x4 2x4":                        `, not "2x4"`,
		"64x8":                                  `, not "64x8"`,
		"--json --nodes a[1-":                   "--nodes: ",
		"--timeout soon":                        `--timeout must be a time with a unit, e.g. 15s or 2m, not "soon"`,
		"--timeout 5":                           `--timeout must be a time with a unit, e.g. 15s or 2m, not "5"`,
		"--ascii=x":                             `--ascii must be true or false, not "x"`,
		"--demo=+4x8":                           "--demo=+4x8: expected NODESxGPUS",
		"--nodes a;b":                           `invalid host name "a;b"`,
		"--json --nodes=":                       "--nodes is empty",
		"--details":                             "--details is for --json",
		"snapshot --details":                    "--details is for --format json",
		"--json --nodes a;id":                   `invalid host name "a;id"`,
		"--json --nodes=-oX":                    `invalid host name "-oX"`,
		"--json --nodes me@a":                   `host names only, not "me@a": set user and port in ~/.ssh/config`,
		"--demo --nodes a":                      "--demo and --nodes cannot be combined",
		"--nodes http://":                       `"http://" is not the URL of an agent`,
		"--json --nodes http://u:p@a":           "a URL with a user or a password is refused",
		"--json --nodes http://a --login b":     "--nodes with URLs of agents cannot be combined",
		"--json --nodes http://a --transport x": "--transport must be",
		"--demo --login a":                      "--demo and --login cannot be combined",
		"--login a:x":                           `--login takes [USER@]HOST[:PORT], such as alice@cluster: invalid port in "a:x"`,
		"--login=":                              `--login takes [USER@]HOST[:PORT], such as alice@cluster: invalid host ""`,
		"--once --json":                         "--once and --json cannot be combined",
		"--first-sample":                        "--first-sample is for what is printed once: add --once or --json",
		"list --watch --first-sample": "--first-sample is for what is printed once: it cannot be combined " +
			"with --interval",
		"--view=help --demo":  "--view must be auto, node or overview",
		"--demo":              "not a terminal: use --once for text or --json for JSON",
		"--theme blue --demo": "--theme",
		"help me":             `no command "me"`,
		"help doctor me":      `no command "doctor me"`,
	} {
		code, out, errs := apptest.Run(t, strings.Fields(args)...)
		if code != cli.ExitUsage || out != "" || strings.Count(errs, "\n") != 1 ||
			!strings.HasPrefix(errs, "nvnodetop: ") || !strings.Contains(errs, want) {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q; want 2 and one line with %q", args, code, out, errs, want)
		}
	}
}

func TestVersionAndHelp(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"--version", "-v", "track -v", "list -v", "nvl --version", "nvisel -V"} {
		if code, out, _ := apptest.Run(t, strings.Fields(args)...); code != cli.ExitOK || out != "nvnodetop version "+
			wire.BuildVersion()+"\n" {
			t.Errorf("%s: %d, %q", args, code, out)
		}
	}
	code, out, _ := apptest.Run(t, "--help")
	for _, word := range []string{"--demo", "--nodes", "--once", "--json", "--timeout", "--view", "--colors", "--theme",
		"--ascii", "POLL"} {
		if code != cli.ExitOK || !strings.Contains(out, word) {
			t.Errorf("--help: %d, %q is missing in\n%s", code, word, out)
		}
	}
	for _, command := range append([]string{""}, commandNames()...) {
		names := strings.Fields(command)
		_, want, _ := apptest.Run(t, append(slices.Clone(names), "--help")...)
		if code, out, errs := apptest.Run(t, append([]string{"help"}, names...)...); code != cli.ExitOK || out != want ||
			errs != "" {
			t.Errorf("help %s: %d, %q\n%s\nwant\n%s", command, code, errs, out, want)
		}
		if usage := strings.TrimSpace("nvnodetop " + command); !strings.Contains(want, "Usage:\n  "+usage+" [") &&
			!strings.Contains(want, "Usage:\n  "+usage+" FILE") {
			t.Errorf("help %s has no usage of %q:\n%s", command, usage, want)
		}
		for line := range strings.Lines(want) {
			if draw.Width(strings.TrimSuffix(line, "\n")) > helpWidth+4 { // flags are broken near there
				t.Errorf("help %s: %s", command, line)
			}
		}
	}
}

func TestDemo(t *testing.T) {
	t.Parallel()
	code, out, errs := apptest.Run(t, "--demo", "2x4", "5", "2", "--json", "--timeout", "30s")
	var doc struct {
		Version   int
		Discovery struct{ Command string }
		Jobs      []struct {
			GPUs  int
			Nodes []string
		}
		Nodes []struct {
			Name, State string
			GPUs        []struct{}
			Processes   []struct{}
		}
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil || code != cli.ExitOK || doc.Version != 1 ||
		len(doc.Jobs) < 2 || doc.Jobs[0].GPUs != 8 || len(doc.Jobs[0].Nodes) != 2 {
		t.Fatalf("exit code %d, stderr %q, %v: %+v", code, errs, err, doc)
	}
	if doc.Discovery.Command != slurm.Question {
		t.Errorf("the demo asks with %q, the program with %q", doc.Discovery.Command, slurm.Question)
	}
	for _, n := range doc.Nodes {
		if n.State != "reporting" || len(n.GPUs) != 4 || len(n.Processes) == 0 {
			t.Errorf("%s is %s with %d GPUs and %d processes", n.Name, n.State, len(n.GPUs), len(n.Processes))
		}
	}
	code, out, errs = apptest.Run(t, "--demo=2x4", "--once", "--timeout", "30s", "--ascii")
	if code != cli.ExitOK || strings.ContainsFunc(out, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }) {
		t.Errorf("exit code %d, stderr %q, stdout\n%s", code, errs, out)
	}
	for _, n := range doc.Nodes {
		// a row of the overview, and a section of its own with the GPUs
		if !regexp.MustCompile(`(?m)^ . `+n.Name+`( +\d+[A-Z]?){4} .+ [\d.]+/\d+ `).MatchString(out) ||
			!regexp.MustCompile(`(?m)^-- `+n.Name+
				` -+\n(.+\n){2} .  0 .+\n .  1 .+\n .  2 .+\n .  3 `).MatchString(out) {
			t.Errorf("%s is missing in\n%s", n.Name, out)
		}
	}
}

func TestSettled(t *testing.T) {
	t.Parallel()
	now := time.Now()
	asked := cluster.Discovery{Asked: now}
	gone := &reach.Failure{Class: reach.ClassClosed}
	for _, test := range []struct {
		name string
		snap cluster.Snapshot
		want bool
	}{
		{"nobody was asked", cluster.Snapshot{}, false},
		{"no answer yet", cluster.Snapshot{Discovery: cluster.Discovery{Command: slurm.Question}}, false},
		{"no job", cluster.Snapshot{Discovery: asked}, true},
		{"whose GPUs", nodesIn(cluster.Discovery{Asked: now, Asking: true}, cluster.Node{State: cluster.NodeReporting}),
			false},
		{"connecting", nodesIn(asked, cluster.Node{State: cluster.NodeReporting},
			cluster.Node{State: cluster.NodeConnecting}), false},
		{"one failed", nodesIn(asked, cluster.Node{State: cluster.NodeReporting},
			cluster.Node{State: cluster.NodeFailed, Failure: gone}), true},
		{"old numbers", nodesIn(asked, cluster.Node{State: cluster.NodeReporting},
			cluster.Node{State: cluster.NodeStale}), false},
		{"lost", nodesIn(asked, cluster.Node{State: cluster.NodeReporting},
			cluster.Node{State: cluster.NodeStale, Failure: gone}), true},
	} {
		if got := tally.Settled(&test.snap); got != test.want {
			t.Errorf("%s: settled %v, want %v", test.name, got, test.want)
		}
	}
}

func nodesIn(d cluster.Discovery, nodes ...cluster.Node) cluster.Snapshot {
	s := cluster.Snapshot{Discovery: d, Jobs: make([]cluster.JobView, 1), Nodes: map[string]*cluster.Node{}}
	for i := range nodes {
		nodes[i].Name = strconv.Itoa(i)
		s.Nodes[nodes[i].Name] = &nodes[i]
		s.Jobs[0].Nodes = append(s.Jobs[0].Nodes, nodes[i].Name)
	}
	return s
}

// Without SLURM and GPUs, one line names the ways that are left.
func TestNothingToShow(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	code, out, errs := apptest.Run(t, "--json")
	if code != cli.ExitNoJobs || out != "" || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, errs)
	}
	for _, way := range []string{"--nodes", "--demo", "login node"} {
		if !strings.Contains(errs, way) {
			t.Errorf("%q does not name %s", errs, way)
		}
	}
}

// A broken driver is not a host without a GPU.
func TestBrokenDriverHere(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv(apptest.DriverFault, "Driver/library version mismatch")
	code, _, errs := apptest.Run(t, "--json")
	if want := "squeue is not in PATH on this host and it has no working NVIDIA driver: Driver/library version mismatch"; code != cli.ExitNoJobs || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
}

// A controller that is slow about the GPUs does not take the jobs away.
func TestJobsWithoutTheirGPUs(t *testing.T) {
	feedtest.Squeue(t, apptest.OneJob)
	dir, _, _ := strings.Cut(os.Getenv("PATH"), ":")
	stubs.Write(t, dir, "scontrol", "sleep 60")
	began := time.Now()
	code, out, errs := apptest.Run(t, "--json", "--timeout", "1s")
	if code != cli.ExitFailed || !strings.Contains(out, `"id": "7"`) || time.Since(began) > 5*time.Second {
		t.Errorf("exit code %d after %v, stderr %q, stdout %q", code, time.Since(began), errs, out)
	}
}

// A controller that has not answered when the time is up is not the same as no job.
func TestControllerHangs(t *testing.T) {
	feedtest.Squeue(t, "sleep 60")
	for _, flag := range []string{"--json", "--once"} {
		began := time.Now()
		code, out, errs := apptest.Run(t, flag, "--timeout", "300ms")
		if code != cli.ExitNoJobs || strings.Contains(strings.ToLower(errs+out), "no running") {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", flag, code, out, errs)
		}
		for _, text := range []string{out, errs} { // it says how long it has waited, which a busy machine stretches
			said := regexp.MustCompile(`no answer from squeue after ([0-9.]+m?s)`).FindStringSubmatch(text)
			if said == nil {
				t.Errorf("%s: %q", flag, text)
			} else if waited, err := time.ParseDuration(said[1]); err != nil || waited < 300*time.Millisecond ||
				waited > time.Since(began)+100*time.Millisecond {
				t.Errorf("%s: waited %v, %v", flag, waited, err)
			}
		}
		if took := time.Since(began); took > 1300*time.Millisecond {
			t.Errorf("%s took %v", flag, took)
		}
	}
}

func TestNoJobs(t *testing.T) {
	feedtest.Squeue(t, "exit 0")
	code, out, errs := apptest.Run(t, "--json")
	if code != cli.ExitNoJobs || !strings.Contains(errs, "no running job") || !strings.Contains(out, `"jobs": []`) {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, errs)
	}
}

// Of several clusters one is asked, which every output says.
func TestSeveralClusters(t *testing.T) {
	t.Setenv("SLURM_CLUSTERS", "a,b")
	feedtest.Squeue(t, "exit 0")
	const note = `SLURM_CLUSTERS="a,b" names several clusters`
	for _, flag := range []string{"--json", "--once"} {
		code, out, errs := apptest.Run(t, flag)
		if code != cli.ExitNoJobs || strings.Count(errs, note) != 1 ||
			flag == "--json" && !strings.Contains(out, strings.ReplaceAll(note, `"`, `\"`)) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", flag, code, out, errs)
		}
	}
}

// squeue without a configuration is no SLURM: no waiting, and the ways that are left.
func TestUnconfiguredSlurm(t *testing.T) {
	feedtest.Squeue(t, `echo "squeue: fatal: Could not establish a configuration source" >&2; exit 1`)
	began := time.Now()
	code, _, errs := apptest.Run(t, "--json", "--timeout", "20s")
	if code != cli.ExitNoJobs || !strings.Contains(errs, "--nodes") || time.Since(began) > 10*time.Second {
		t.Errorf("exit code %d after %v, stderr %q", code, time.Since(began), errs)
	}
}

func TestControllerAway(t *testing.T) {
	feedtest.Squeue(t, `echo "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" >&2; exit 1`)
	for _, flag := range []string{"--json", "--once"} {
		code, out, errs := apptest.Run(t, flag)
		if code != cli.ExitNoJobs || !strings.Contains(errs, "squeue") ||
			!strings.Contains(out, "Unable to contact slurm controller") {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", flag, code, out, errs)
		}
	}
}

// A printed error cannot control the terminal: squeue may run on a login host, which may ask a question that nobody
// answers, and its words may be hostile.
func TestErrorsCannotControlTheTerminal(t *testing.T) {
	feedtest.Squeue(t, `printf 'slurm_load_jobs error: \033]0;x\007\033[2J\302\233 gone \342\200\256\n' >&2; exit 1`)
	for _, args := range [][]string{{"--json"}, {"--once"}, {"--gone\x1b[2J\u009b\u202e"}} {
		code, out, errs := apptest.Run(t, args...)
		if code == cli.ExitOK || !strings.Contains(errs, "gone") ||
			strings.ContainsAny(out+errs, "\x1b\x07\u009b\u202e") {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", args, code, out, errs)
		}
	}
}

// An output that cannot be written is a failure, even of the help and the version.
func TestFullOutput(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, args := range []string{"--help", "help serve", "replay --help", "--version", "config", "--once --demo=1x1",
		"snapshot --demo=1x1 --format csv", "list --demo=1x1"} {
		code, errs := apptest.RunTo(t.Context(), t, full, strings.Fields(args)...)
		if code != cli.ExitFailed || !strings.Contains(errs, "no space left on device") || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q", args, code, errs)
		}
	}
}
