package ui

import (
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	uicapacity "github.com/nvnodetop/nvnodetop/internal/ui/capacity"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// counts lets the page of the cluster hear an answer, and then a failure, if there is one.
func counts(c *capacity.Cluster, failed ...error) func(v *view, s *part.Scene) {
	return func(v *view, s *part.Scene) {
		uitest.Count(v.pages[keys.OnCluster].(*uicapacity.Page), s, c, failed...)
		v.resolveSelection(s)
	}
}
