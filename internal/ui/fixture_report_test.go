package ui

import (
	"errors"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// aReport is the report of a job that has failed and was watched in part.
func aReport() *report.Report {
	start := ago(time.Hour)
	steps := []report.Step{{Name: "batch", Program: "batch", State: "FAILED", Code: ptr(3), Start: start, Elapsed: 3360,
		Nodes: 1, Tasks: 1, CPU: ptr(4.5), Memory: ptr(uint64(14 << 20)), Node: "gpu-s11"}}
	for i := range 9 {
		steps = append(steps, report.Step{Name: string(rune('0' + i)), Program: "python", State: "COMPLETED", Code: ptr(0),
			Start: start.Add(time.Duration(i) * 5 * time.Minute), Elapsed: 300, Nodes: 1, Tasks: 2, CPU: ptr(1290.25),
			Memory: ptr(uint64(47 << 30)), Node: "gpu-s11", GPUUtilMost: ptr(164.0)})
	}
	return &report.Report{Version: report.Version,
		Job: report.Job{ID: "48377_2", Number: "48379", Name: "eval-mmlu", User: "alice", Account: "ml", QOS: "normal",
			Partition: "gpu", Submit: start.Add(-7 * time.Minute), Start: start, End: ago(4 * time.Minute), Limit: 14400,
			State: "FAILED", Code: ptr(3), Cause: "rank 3: ValueError: Target size (torch.Size([8])) must be the same as " +
				"input size (torch.Size([4])) (train.py:20)"},
		Total: report.Total{Nodes: 1, GPUs: 2},
		Accounting: &report.Accounting{Elapsed: 3360, Waited: ptr(420.0), Nodes: 1, NodeList: "gpu-s11", CPUs: 32,
			Tasks: 2, CPU: &report.CPUTime{Given: 107520, Used: 11616.75, Percent: 10.8},
			Memory: &report.Memory{Peak: 94 << 30, Limit: ptr(uint64(256 << 30))}, GPUs: ptr(2), Model: "h100",
			GPUUtilMost: ptr(82.0), GPUHours: &report.Shares{Given: 1.8667, UsedMost: ptr(1.5307),
				WastedLeast: ptr(0.336)}, Steps: steps},
		Advice: []report.Advice{{Kind: "low_host_memory", Option: "--mem", Value: "112G",
			Reason: "the job used up to 94.0 GiB of 256.0 GiB (36.7%)"}},
		Notes: []report.Note{{Kind: "not_watched", Text: "Nobody watched this job: what each GPU did is not known. " +
			"Next time: nvnodetop report JOB while it runs, or nvnodetop record."}},
		Sources: []report.Source{{From: report.FromAccounting, Parts: "all numbers"}},
	}
}

// reports lets the page of the report have one.
func reports(r *report.Report, failed ...error) func(v *view, s *part.Scene) {
	return func(v *view, s *part.Scene) {
		for _, ask := range v.report.Due().Ask {
			v.report.Press(nav.Result{Ask: ask, Report: r, Err: errors.Join(failed...)}, s)
		}
		v.resolveSelection(s)
	}
}
