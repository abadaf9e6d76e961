package nvnodetop_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/nvnodetop/nvnodetop/pkg/nvnodetop"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// The demo stands in for a cluster. Without it, Options{} means the jobs of the user.
func ExampleWatch() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for s, err := range nvnodetop.Watch(ctx, nvnodetop.Options{Demo: "2x4"}) {
		if err != nil {
			log.Fatal(err)
		}
		for _, job := range s.Jobs[:1] {
			fmt.Println("job", job.ID, "on", job.Nodes)
		}
		break // closes the sessions
	}
	// Output: job 48211 on [gpu-n01 gpu-n02]
}

// An unknown value is not in Metrics, so a missing number is never taken for 0.
func ExampleSnapshot() {
	s, err := nvnodetop.Snapshot(context.Background(), nvnodetop.Options{Demo: "2x4"})
	if err != nil {
		log.Fatal(err)
	}
	count, hot := 0, 0
	for _, gpu := range s.GPUs() {
		count++
		if celsius, known := gpu.Metrics[schema.TemperatureCelsius]; known && celsius > 120 {
			hot++
		}
	}
	fmt.Println(s.Node("gpu-n01").State, count > 8, hot)
	// Output: reporting true 0
}

// If ctx ends first, the report is about the time until then.
func ExampleReport() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	r, err := nvnodetop.Report(ctx, "48211", nvnodetop.Options{Demo: "2x4"})
	if r == nil {
		log.Fatal(err)
	}
	fmt.Println(r.Job.State, r.Total.GPUs, "GPUs")
	// Output: RUNNING 8 GPUs
}
