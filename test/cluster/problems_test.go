package cluster

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A GPU that has become slow in a job whose GPUs exchange data is named: in row 1, at its row and among the problems,
// with its rank.
func laggingGPU(t *testing.T) {
	const together = "util 97;nvlink_tx 20;nvlink_rx 20"
	const waiting = "util 97;util_memory 14;power 160;nvlink_tx 5;nvlink_rx 5;gpu 2 util 25;gpu 2 power 143"
	fault(t, "nvml", "node05", together)
	for rank := range 4 { // the library gives each process the next GPU
		do(t, "on", "-u", "alice", "node05", "env", fmt.Sprintf("RANK=%d", rank), "WORLD_SIZE=4", "setsid", "-f", "sh",
			"-c", "exec gpuwork 86400 >/dev/null 2>&1 </dev/null")
	}
	w := watch(t, "--nodes", "node05")
	w.sees("4 of 4 GPUs", "4 GPUs OK")
	w.never(50*time.Second, "!LAG", "▲")
	do(t, "fault", "nvml", "node05", waiting)
	began := time.Now()
	for !strings.Contains(w.Screen(), "!LAG -7") {
		if time.Since(began) > 100*time.Second {
			t.Fatal("the slow GPU is not named")
		}
		dog.Watch(t)
		time.Sleep(time.Second)
	}
	w.sees("GPU2 lags")
	w.types("!")
	w.sees("GPU2", "rank 2", "against a median of 97%")
	do(t, "fault", "nvml", "node05", together)
	w.sees("cleared")
	w.quits()
}

// Two problems of a job on a node: its memory is nearly full, and a process of an ended job holds memory of a GPU.
func jobInTrouble(t *testing.T) {
	inEachLayout(t, []string{"node06"}, func(t *testing.T, _ layout) { memoryOfTheJob(t) })
	job(t, 1, "train", "-w", "node06")
	w := watch(t)
	w.sees("4 of 4 GPUs", "4 GPUs OK")
	fault(t, "leftover", "node06", "4000")
	w.never(3*time.Second, "of job 4000")
	w.types("r") // the process has begun, and squeue still does not know its job
	w.never(60*time.Second, "of job 4000")
	w.sees("(gpuwork) of job 4000, which has ended, holds")
	do(t, "fault", "leftoverok", "node06")
	w.sees("cleared")
	w.quits()
}

func memoryOfTheJob(t *testing.T) {
	job(t, 1, "train", "-w", "node06")
	w := watch(t)
	w.sees("4 of 4 GPUs", "4 GPUs OK")
	if _, err := script("fault", "jobmemory", "node06", "2000", "1950"); err != nil {
		if strings.Contains(err.Error(), "no cgroup version 1") {
			t.Skip("needs the memory controller of cgroup version 1: ", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() { do(t, "heal", "node06") })
	w.sees("The job uses 1.9 of 2.0 GiB host memory here")
	do(t, "fault", "jobmemoryok", "node06")
	w.sees("1 problem cleared")
	w.quits()
}

// MIG instances are rows of their own after their GPU, which has no utilization.
func TestInstances(t *testing.T) {
	fault(t, "nvml", "node02", "gpu 0 mig 1:0:9728:1 2:0:19968:2;proc 0 1 500 compute 40 1:0")
	w := watch(t, "--nodes", "node02,node01")
	w.sees("8 of 8 GPUs", "0:0 1g.10gb A100", "5.9/9.5", "0:1 2g.20gb A100", "n/a (MIG)")
	w.quits()
}
