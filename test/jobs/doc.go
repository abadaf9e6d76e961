// Package jobs is a table of real programs: jobs that work and only look stuck, and jobs that hang. Each row says what
// one rank does, and what is to be known of it from outside. The programs are in the directory programs; package
// test/cluster starts them on a cluster with real SLURM and judges what nvnodetop says.
//
// A way to wait or to hang is a function of programs/working.py or programs/hung.py, and a row. Working jobs come
// first: one false alarm costs more than ten hangs that are found.
package jobs
