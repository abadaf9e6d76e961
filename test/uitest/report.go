package uitest

import (
	"time"

	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// AReport is the report of a job that has failed and was watched in part.
func AReport() *report.Report {
	start := Ago(time.Hour)
	steps := []report.Step{{Name: "batch", Program: "batch", State: "FAILED", Code: new(3), Start: start, Elapsed: 3360,
		Nodes: 1, Tasks: 1, CPU: new(4.5), Memory: new(uint64(14 << 20)), Node: "gpu-s11"}}
	for i := range 9 {
		steps = append(steps, report.Step{Name: string(rune('0' + i)), Program: "python", State: "COMPLETED", Code: new(0),
			Start: start.Add(time.Duration(i) * 5 * time.Minute), Elapsed: 300, Nodes: 1, Tasks: 2, CPU: new(1290.25),
			Memory: new(uint64(47 << 30)), Node: "gpu-s11", GPUUtilMost: new(164.0)})
	}
	return &report.Report{Version: report.Version,
		Job: report.Job{ID: "48377_2", Number: "48379", Name: "eval-mmlu", User: "alice", Account: "ml", QOS: "normal",
			Partition: "gpu", Submit: start.Add(-7 * time.Minute), Start: start, End: Ago(4 * time.Minute), Limit: 14400,
			State: "FAILED", Code: new(3), Cause: "rank 3: ValueError: Target size (torch.Size([8])) must be the same as " +
				"input size (torch.Size([4])) (train.py:20)"},
		Total: report.Total{Nodes: 1, GPUs: 2},
		Accounting: &report.Accounting{Elapsed: 3360, Waited: new(420.0), Nodes: 1, NodeList: "gpu-s11", CPUs: 32,
			Tasks: 2, CPU: &report.CPUTime{Given: 107520, Used: 11616.75, Percent: 10.8},
			Memory: &report.Memory{Peak: 94 << 30, Limit: new(uint64(256 << 30))}, GPUs: new(2), Model: "h100",
			GPUUtilMost: new(82.0), GPUHours: &report.Shares{Given: 1.8667, UsedMost: new(1.5307),
				WastedLeast: new(0.336)}, Steps: steps},
		Advice: []report.Advice{{Kind: "low_host_memory", Option: "--mem", Value: "112G",
			Reason: "the job used up to 94.0 GiB of 256.0 GiB (36.7%)"}},
		Notes: []report.Note{{Kind: "not_watched", Text: "Nobody watched this job: what each GPU did is not known. " +
			"Next time: nvnodetop report JOB while it runs, or nvnodetop record."}},
		Sources: []report.Source{{From: report.FromAccounting, Parts: "all numbers"}},
	}
}
