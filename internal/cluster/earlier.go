package cluster

import "time"

// Earlier are the times of a finding before its Since, within Remember.
type Earlier struct {
	Times int
	Since time.Time // the beginning of the first
}

// IsSame reports whether another finding is of the same kind and about the same.
func (f *Finding) IsSame(o Finding) bool {
	return f.Kind == o.Kind && f.Job == o.Job && f.Node == o.Node && f.Key == o.Key
}
