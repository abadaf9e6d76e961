package source

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// A program that becomes slower is told with its pace before, whatever its lines are, and a checkpoint is no change.
func TestSlowerSteps(t *testing.T) {
	for name, lines := range map[string]func(step int) string{
		"lines": func(step int) string { return fmt.Sprintf("step %d/6000 loss 0.0000 lr 0.01\n", step) },
		"lines and checkpoints": func(step int) string {
			line := fmt.Sprintf("step %d/6000 loss 0.0000 lr 0.01\n", step)
			if step%200 == 0 {
				line += fmt.Sprintf("saved checkpoint at step %d\n", step)
			}
			return line
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &fakeLogs{both: true, text: map[string]string{"7 stdout": ""}}
				var began time.Time
				last := runFollower(t, l, []cluster.Job{{ID: "7"}}, func(*progress) {
					for step := 1; step <= 980; step++ {
						pace := 500 * time.Millisecond
						if step > 590 {
							pace = 1200 * time.Millisecond
						}
						if step == 591 {
							began = time.Now()
						}
						time.Sleep(pace)
						if step%5 == 0 {
							l.grow("7", lines(step))
						}
					}
				})["7"]
				if last == nil || last.Slower == nil || last.Slower.Before < 0.45 || last.Slower.Before > 0.56 ||
					last.Slower.Since.Sub(began).Abs() > 30*time.Second {
					t.Errorf("%+v, since %v", last.Slower, began)
				}
			})
		})
	}
}
