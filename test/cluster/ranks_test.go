package cluster

import "testing"

// The rank table has the tasks of all nodes of a job. One that ends while the others run keeps its row, which says so.
func TestRankTable(t *testing.T) {
	job(t, 2)
	w := watch(t)
	w.well()
	w.types("m")
	w.sees("Ranks of job", "8 of 8 ranks", "0 node01 0", "7 node02 3")
	do(t, "on", "node02", "sh", "-c", "kill $(pgrep -n -u alice -x gpuwork)")
	w.sees("7 of 8 ranks", "1 gone", "of 8 is gone, last seen")
	w.types("n\r")
	w.sees("node02", "Used/Tot MiB")
	w.quits()
}
