package cluster

import "time"

// Earlier describes the earlier occurrences of a finding: those before its Since, within Remember.
type Earlier struct {
	Times int
	Since time.Time // when the first one began
}

// IsSame reports whether another finding has the same kind and the same subject.
func (f *Finding) IsSame(o Finding) bool {
	return f.Kind == o.Kind && f.Job == o.Job && f.Node == o.Node && f.Key == o.Key
}
