// Package track measures a command and its descendants on this host. It reports which resources they use, with the
// names and the layout of gpu_tracker's report. It runs the command as a Child, in place of this program.
//
// A Tracker reads /proc when Sample and End are called, and takes the numbers of the GPUs from Events of this host's
// probe. It reads no clock: the caller passes the time. Its methods may be called by any number of goroutines. Each
// process is counted once. The kernel adds the CPU time of an ended process to that of its parent, so no process that
// its parent waits for is missed between two samples. A Report is a value; printing it changes nothing.
//
// # How a command is followed
//
// nvnodetop track runs a command on this host and reports the resources used by it and its descendants. Memory, CPU
// time and threads are read from /proc (internal/output/track), the values of GPUs come as Events from the probe of
// this host, as without SLURM. The probe ends when its Hello lists no GPU.
//
//   - Ended processes. The kernel adds the CPU time of a process to its parent's when the parent waits for it, so each
//     process is counted once, and a process that lived between two samples is not missed. nvnodetop is the subreaper:
//     orphans become its children, and it waits for them. The command stays a zombie until its last sample. The largest
//     memory is known when a process is waited for, but not which process had it. It counts for the command if the
//     command has waited for no child or was larger in the samples, otherwise for its descendants.
//   - Cost. A look lists /proc and reads only members and new processes. The pages of a process are walked
//     (smaps_rollup) within a budget, which a large process exhausts for several samples; its resident memory is read
//     each time. A cgroup's peak is not used: it counts the page cache.
//   - Signals. The command shares the process group and the terminal with nvnodetop, so Ctrl-C and Ctrl-Z reach it as
//     in a shell, also in a pipeline or a script. A signal to nvnodetop alone is passed on. Go does not distinguish the
//     two cases. So an idle process, the witness, stays in the group: if the witness has also got the signal, so has
//     the command.
package track
