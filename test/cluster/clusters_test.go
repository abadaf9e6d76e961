package cluster

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

var clusters = flag.Int("clusters", 1, "how many clusters to start; each runs one test at a time")

// slow are the tests that take longest. They begin first, so that none of them is the last to end; tests with many
// screens at once are apart.
var slow = []string{"TestRealJobs", "TestLongFaults", "TestBoards", "TestJobIsCancelledWhileWatched", "TestAdopted",
	"TestUnknownJob", "TestLogins", "TestDeadLinkIsNotTheDriver", "TestPowerOff", "TestFaults", "TestABatchScriptRecordsItsOwnJob",
	"TestStoppedForAWhile", "TestADetachedTmuxGetsFewReports", "TestAllAgree", "TestTrackJob"}

// ready is the variable that tells a test binary that its cluster is up, and the program to test there.
const ready = "NVNODETOP_CLUSTER_PROGRAM"

// sideBySide runs the tests on several clusters, whose numbers begin with TESTCLUSTER, or 1. Each test has a process of
// its own, which knows one cluster. The output of a test comes at its end.
func sideBySide(exe string) (code int, err error) {
	list, err := chosen()
	if err != nil {
		return 1, err
	}
	next := make(chan string, len(list))
	for _, name := range list {
		next <- name
	}
	close(next)
	var (
		workers sync.WaitGroup
		mu      sync.Mutex // protects code and the output
	)
	first, _ := strconv.Atoi(os.Getenv("TESTCLUSTER"))
	for k := range *clusters {
		workers.Go(func() {
			failed := runAll(strconv.Itoa(max(first, 1)+k), exe, next, func(out []byte) {
				mu.Lock()
				defer mu.Unlock()
				_, _ = os.Stdout.Write(out)
			})
			mu.Lock()
			defer mu.Unlock()
			if failed {
				code = 1
			}
		})
	}
	workers.Wait()
	return code, nil
}

// chosen lists the tests that -run, -slurm and -count ask for, the slow ones first.
func chosen() (names []string, err error) {
	all, err := listTests(".")
	if err != nil {
		return nil, err
	}
	if all, err = leaveOut(all); err != nil {
		return nil, err
	}
	top, _, _ := strings.Cut(value("run"), "/")
	wanted, err := listTests(cmp.Or(top, "."))
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Concat(slow, all) {
		if !slices.Contains(names, name) && slices.Contains(all, name) && slices.Contains(wanted, name) {
			names = append(names, name)
		}
	}
	count, err := strconv.Atoi(value("count"))
	return slices.Repeat(names, count), err
}

// listTests lists the tests whose names match a pattern.
func listTests(pattern string) ([]string, error) {
	out, err := exec.Command(os.Args[0], "-test.list="+pattern).Output()
	if err != nil {
		return nil, fmt.Errorf("list the tests: %w", err)
	}
	return strings.Fields(string(out)), nil
}

func value(name string) string { return flag.Lookup("test." + name).Value.String() }

// runAll runs the tests from next, one after the other, on the cluster with a number.
func runAll(number, exe string, next <-chan string, show func([]byte)) (failed bool) {
	env := append(os.Environ(), "TESTCLUSTER="+number)
	defer func() {
		if _, err := scriptIn(env, "down"); err != nil {
			show(fmt.Appendln(nil, err))
			failed = true
		}
	}()
	told := ""
	for name := range next {
		// A cluster that is up stays.
		program, err := bringUp(env, exe)
		if err != nil {
			show(fmt.Appendln(nil, err))
			return true
		}
		if told == "" {
			told, _ = scriptIn(env, "on", "login", "squeue", "--version")
			show(fmt.Appendf(nil, "cluster %s has %s\n", number, told))
		}
		out, err := alone(name, append(env, ready+"="+program))
		show(out)
		if err == nil {
			if err = settle(env); err != nil {
				show(fmt.Appendf(nil, "after %s: %v\n", name, err))
			}
		}
		if err != nil { // it may have left its faults
			failed = true
			_, _ = scriptIn(env, "down")
		}
	}
	return failed
}

// silence is how long a probe whose connection was cut may stay: it ends after 60 s without a word from nvnodetop.
const silence = 65 * time.Second

// settle waits until no probe is left on any node: the next test may count them.
func settle(env []string) error {
	for began := time.Now(); ; time.Sleep(500 * time.Millisecond) {
		left := ""
		for i := range nodes {
			node := fmt.Sprintf("node%02d", i+1)
			out, err := scriptIn(env, "on", node, "sh", "-c", "pgrep -a nvnodetop-probe; true")
			if err != nil {
				return err
			}
			if out != "" {
				left += "\n" + node + ": " + out
			}
		}
		if left == "" {
			return nil
		}
		if time.Since(began) > silence {
			return fmt.Errorf("probes are left:%s", left)
		}
	}
}

// alone runs one test, or the subtests of it that -run asks for.
func alone(name string, env []string) ([]byte, error) {
	_, sub, _ := strings.Cut(value("run"), "/")
	cmd := exec.Command(os.Args[0], "-test.run=^"+name+"$/"+sub, "-test.v="+value("v"),
		"-test.parallel="+value("parallel"), "-test.timeout="+value("timeout"))
	cmd.Env = env
	return cmd.CombinedOutput()
}
