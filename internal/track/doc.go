// Package track measures a command and its descendants on this host, and reports what they have used, with the names
// and the layout of gpu_tracker's report.
//
// A Tracker reads /proc when Sample and End are called, and takes the numbers of the GPUs from Events of this host's
// probe. It reads no clock: the caller says what time it is. Its methods may be called by any number of goroutines.
// Each process is counted once: the CPU time of one that has ended is that which the kernel adds to its parent's, so
// none that its parent waits for is missed between two samples. A Report is a value; printing it changes nothing.
package track
