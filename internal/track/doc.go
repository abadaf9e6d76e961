// Package track measures a command and its descendants on this host, and reports what they have used, with the names
// and the layout of gpu_tracker's report.
//
// A Tracker reads /proc when Sample and End are called, and takes the numbers of the GPUs from Events of this host's
// probe. It reads no clock: the caller says what time it is. Its methods may be called by any number of goroutines.
// Each process is counted once: the CPU time of one that has ended is that which the kernel adds to its parent's, so
// none that its parent waits for is missed between two samples. A Report is a value; printing it changes nothing.
//
// # How a command is followed
//
// nvnodetop track runs a command on this host and reports what it and its descendants have used. Their memory, CPU time
// and threads are read in /proc (internal/track), the GPUs come as Events from the probe of this host, as without
// SLURM. The probe ends when its Hello lists no GPU.
//
//   - Ended processes. The kernel adds the CPU time of a process to its parent's when that waits for it, so each
//     process is counted once, and one that lived between two samples is not missed. nvnodetop is the subreaper:
//     orphans become its children, and it waits for them. The command stays a zombie until its last sample. The largest
//     memory of a process is known when it is waited for, but not whose it was: of the command if that has waited for
//     no child or was the larger one in the samples, else of its descendants.
//   - Cost. A look lists /proc and reads only members and new processes. The pages of a process are walked
//     (smaps_rollup) within a budget, which a large process exhausts for several samples; its resident memory is read
//     each time. A cgroup's peak is not used: it counts the page cache.
//   - Signals. The command shares the process group and the terminal with nvnodetop, so Ctrl-C and Ctrl-Z reach it as
//     in a shell, also in a pipeline or a script. A signal to nvnodetop alone is passed on. Go does not say which of
//     the two it was. So an idle process stays in the group, the witness: if it has got the signal too, the command
//     has.
package track
