// Package notation reads SLURM's notations: lists of hosts, and the GPUs in lists of resources (the GRES of jobs and
// nodes, and TRES). It is pure.
package notation
