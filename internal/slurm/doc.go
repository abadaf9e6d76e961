// Package slurm asks SLURM which jobs a person has: it runs squeue and scontrol and reads what they print.
//
// The commands are run by an injected Runner, so that everything else here is a pure function of their output. Command is the real
// one. Every call has a deadline of ours, since a dead controller holds squeue for up to a minute, and a cap on its output.
//
// Ask makes one call of squeue. Only when a job is new or has changed does it make more, as few as it can: `scontrol show hostnames`
// for node lists that it has not expanded yet, `scontrol show job -d` for the GPUs of the new jobs. Answers to both are kept as long
// as the job is.
//
// A Client is for one goroutine. Strings in what it returns (job names, SLURM's words) are as SLURM printed them: not fit for a screen.
package slurm
