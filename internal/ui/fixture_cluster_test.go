package ui

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	uicapacity "github.com/nvnodetop/nvnodetop/internal/ui/capacity"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/uitest"
)

// counts lets the page of the cluster hear an answer, and then a failure, if there is one.
func counts(c *capacity.Cluster, failed ...error) func(v *view, s *part.Scene) {
	return func(v *view, s *part.Scene) {
		page := v.pages[keys.OnCluster].(*uicapacity.Page)
		for i, err := range append([]error{nil}, failed...) {
			if i == 0 && c == nil {
				continue
			}
			due := page.Due(s.Snap.At.Add(time.Duration(i)*time.Minute), true).Ask
			page.Press(nav.Result{Ask: due[0], GPUs: c, Err: err}, s)
		}
		v.resolveSelection(s)
	}
}

// ofEveryone makes the page of the cluster one of an admin, and presses v so often.
func ofEveryone(times int) func(v *view, s *part.Scene) {
	return func(v *view, s *part.Scene) {
		v.pages[keys.OnCluster] = uicapacity.New(v.past, true)
		counts(uitest.ACluster(8))(v, s)
		for range times {
			v.passMessage(pressed("v"), s)
		}
		v.resolveSelection(s)
	}
}
