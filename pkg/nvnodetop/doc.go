// Package nvnodetop lets a Go program watch every GPU of its user's SLURM jobs, on all their nodes, from the login
// node, as the command nvnodetop does: over one session per node, and with nothing installed there.
//
// Watch yields a snapshot of all jobs, nodes, GPUs and processes at each interval, Snapshot returns a single one, and
// Report watches one job to its end and says what it has used. Package schema has the types of a snapshot, package
// report those of a report.
//
// The program itself is what runs on the nodes: its main calls Probe first.
//
//	func main() {
//		nvnodetop.Probe()
//		for s, err := range nvnodetop.Watch(context.Background(), nvnodetop.Options{}) {
//			…
//		}
//	}
//
// Where the jobs and the nodes are found, and how often they may be asked, is as with the command: its files of
// settings and its variables count, Options count more, and the limits of the system's file always hold. Nobody is
// asked for a password: a key that needs a passphrase has to be in an agent.
//
// All functions may be called from any number of goroutines. Each call has its own sessions: call Watch once, and hand
// its snapshots on.
package nvnodetop
