package cluster

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestFaults injects every fault of a node while it is watched over ssh, and those of the connection over openssh too.
// The page of the node must explain the fault and give a hint, the other nodes must not be affected, the node must come
// back when the fault is healed, and nothing may be left there. The tests mostly wait, so several nodes have faults at
// once.
func TestFaults(t *testing.T) {
	victims := make(chan string, nodes)
	for i := 2; i <= nodes; i++ {
		victims <- fmt.Sprintf("node%02d", i)
	}
	for _, tc := range []struct {
		name  string     // begins with the transport, unless it is ssh
		fault [][]string // in this order
		says  []string   // on the page of the node
		row1  string     // in row 1
	}{
		{"refused", [][]string{{"reject"}, {"killsession"}}, []string{"connection refused"}, "unreachable"},
		{"sshd gone", [][]string{{"killsshd"}}, []string{"connection refused"}, "unreachable"},
		// no answer, or no route to the host
		{"no route", [][]string{{"killsession"}, {"linkdown"}}, []string{": no "}, "unreachable"},
		{"silent", [][]string{{"drop"}}, []string{"connection lost: no data received"}, "not responding"},
		{"port 22 silent", [][]string{{"dropssh"}, {"killsession"}}, []string{"no response after 5s"}, "unreachable"},
		{"frozen sshd", [][]string{{"stopsshd"}}, []string{"[stale"}, "not responding"},
		{"frozen sshd at the dial", [][]string{{"killsession"}, {"stopsshd"}}, []string{"sshd not responding"},
			"unreachable"},
		{"key not accepted", [][]string{{"nokey"}, {"killsession"}},
			[]string{"permission denied (publickey)", "Permission denied"}, "login refused"},
		{"user denied", [][]string{{"deny", "alice"}, {"killsession"}}, []string{"permission denied"}, "login refused"},
		{"host key changed", [][]string{{"hostkey"}, {"killsession"}},
			[]string{"host key changed", "known: /etc/ssh/ssh_known_hosts"}, "host key changed"},
		{"host key unknown", [][]string{{"unknownkey"}, {"killsession"}}, []string{"host key unknown"},
			"host key unknown"},
		{"probe killed", [][]string{{"killprobes"}}, []string{"killed (signal KILL)"}, "probe was killed"},
		{"garbage", [][]string{{"garbage"}, {"killsession"}}, []string{"unexpected output in place of the probe's",
			"Segmentation fault"}, " failed"},
		{"a line of 100 MB", [][]string{{"flood"}, {"killsession"}},
			[]string{"too much data from the node: line too long"}, " failed"},
		{"no space", [][]string{{"nospace"}, {"killsession"}},
			[]string{"no space for the probe", "No space left on device"}, " failed"},
		{"noexec", [][]string{{"noexec"}, {"killsession"}}, []string{"probe not executable"}, " failed"},
		{"no library", [][]string{{"nolib"}, {"killsession"}}, []string{"NVIDIA library not found"},
			"NVIDIA driver not working"},
		{"driver and library differ", [][]string{{"mismatch"}, {"killsession"}}, []string{"version mismatch"},
			"NVIDIA driver not working"},
		{"GPU lost", [][]string{{"gpulost"}}, []string{"GPU is lost, since", `NVML: "GPU is lost"`}, " lost"},
		{"openssh: refused", [][]string{{"reject"}, {"killsession"}}, []string{"connection refused"}, "unreachable"},
		{"openssh: silent", [][]string{{"drop"}}, []string{": no "}, "unreachable"},
		{"openssh: key not accepted", [][]string{{"nokey"}, {"killsession"}}, []string{"permission denied (publickey)"},
			"login refused"},
		{"openssh: host key changed", [][]string{{"hostkey"}, {"killsession"}}, []string{"host key changed"},
			"host key changed"},
		{"openssh: probe killed", [][]string{{"nokey"}, {"killprobe"}}, []string{"permission denied (publickey)"},
			"login refused"},
		{"openssh: no space", [][]string{{"nospace"}, {"killsession"}}, []string{"no space for the probe"}, " failed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			node := <-victims
			t.Cleanup(func() { victims <- node })
			transport := "ssh"
			if over, _, found := strings.Cut(tc.name, ": "); found {
				transport = over
			}
			w := watch(t, "--nodes", node+",node01", "--transport", transport)
			w.sees("8 GPUs OK")
			began := time.Now()
			for _, f := range tc.fault {
				fault(t, append([]string{f[0], node}, f[1:]...)...)
			}
			w.sees(tc.row1)
			w.explains(tc.says...)
			said := time.Since(began)
			healing := time.Now()
			do(t, "heal", node)
			w.sees(reporting(2, 2))
			t.Logf("said after %.1f s, healed after %.1f s", said.Seconds(), time.Since(healing).Seconds())
			w.quits()
			leavesNothing(t, node)
		})
	}
}

// A dead link is never reported as a hanging driver, at any pace of the reports, and it is reported within 45 s.
func TestDeadLinkIsNotTheDriver(t *testing.T) {
	for _, poll := range []string{"3", "5"} {
		t.Run("at "+poll, func(t *testing.T) { deadLinks(t, poll) })
	}
}

func deadLinks(t *testing.T, poll string) {
	for i, broken := range []string{"linkdown", "drop", "dropssh"} {
		t.Run(broken, func(t *testing.T) {
			t.Parallel()
			node := fmt.Sprintf("node%02d", 2+i)
			w := watchPoll(t, poll, "--nodes", node+",node01")
			w.sees("8 GPUs OK")
			fault(t, broken, node)
			began := time.Now()
			_, err := w.WaitFor(slack, "what is the matter", func(s string) bool {
				for _, never := range []string{"driver is", "the driver", "driver hung", "driver hangs", "nvidia-smi"} {
					if all(s, []string{never}) {
						t.Fatalf("%q is on the screen %v after the link died:\n%s", never, time.Since(began), s)
					}
				}
				// response, or route to host
				return all(s, []string{"connection lost: no data received"}) || all(s, []string{"✗ no r"})
			})
			if err != nil {
				t.Error(err)
			}
			do(t, "heal", node)
			w.sees(reporting(2, 2))
			w.quits()
		})
	}
}

// A node that lost its power stays in the job for as long as SLURM waits for it.
func TestPowerOff(t *testing.T) {
	for i, transport := range []string{"ssh", "openssh", "srun"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			node := fmt.Sprintf("node%02d", 2+i)
			args := []string{"--transport", transport}
			if transport == "srun" {
				job(t, 2, "power", "-w", "node01,"+node)
				running(t, node)
			} else {
				args = append(args, "--nodes", "node01,"+node)
			}
			w := watch(t, args...)
			w.sees("2 of 2 nodes reporting")
			w.types(".")
			fault(t, "poweroff", node)
			w.sees("1 of 2 nodes reporting")
			if transport == "srun" { // SLURM ends a job whose node comes back empty
				w.sees(node + " unreachable")
				w.quits()
				do(t, "heal", node)
			} else {
				w.sees("unreachable")
				w.explains(node + ": no ")
				do(t, "heal", node)
				w.types("r")
				w.sees("2 of 2 nodes reporting")
				w.quits()
			}
			leavesNothing(t, node)
		})
	}
}
