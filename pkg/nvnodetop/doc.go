// Package nvnodetop lets a Go program watch every GPU of its user's SLURM jobs, on all their nodes, from the login
// node, as the command nvnodetop does: over one session per node, and with nothing installed there.
//
// Watch yields a snapshot of all jobs, nodes, GPUs and processes at each interval, Snapshot returns a single snapshot,
// and Report watches one job to its end and reports what the job has used. Package schema has the types of a snapshot,
// package report those of a report.
//
// The calling program itself runs on the nodes: its main must call Probe first.
//
//	func main() {
//		nvnodetop.Probe()
//		for s, err := range nvnodetop.Watch(context.Background(), nvnodetop.Options{}) {
//			…
//		}
//	}
//
// Jobs and nodes are found, and asked as often, as by the command: its settings files and its environment variables
// apply, Options take precedence, and the limits of the system's file always hold. Nobody is asked for a password: a
// key that needs a passphrase has to be in an agent.
//
// All functions may be called from any number of goroutines. Each call has its own sessions: call Watch once, and hand
// its snapshots on.
package nvnodetop
