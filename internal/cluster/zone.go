package cluster

import "time"

// Localize gives the times of the Event the zone of this host, as a Source does. Screens print times as they are, and a
// recording may be from a host in another zone.
func (e *Event) Localize() {
	to := func(times ...*time.Time) {
		for _, t := range times {
			if !t.IsZero() {
				*t = t.Local()
			}
		}
	}
	if d := e.Discovery; d != nil {
		to(&d.Asked, &d.Next, &d.Answered)
		for i := range d.Jobs {
			to(&d.Jobs[i].Start, &d.Jobs[i].End)
		}
		for i := range d.Pending {
			to(&d.Pending[i].Start)
		}
		for i := range d.Ended {
			to(&d.Ended[i].Start, &d.Ended[i].End, &d.Ended[i].Missed)
		}
	}
	if e.Down != nil {
		to(&e.Down.Retry)
	}
	if e.Stacks != nil {
		to(&e.Stacks.Time)
	}
	if p := e.Progress; p != nil {
		to(&p.At)
		if p.LastCheckpoint != nil {
			to(&p.LastCheckpoint.At)
		}
		if p.Slower != nil {
			to(&p.Slower.Since)
		}
		if p.Silence != nil {
			to(&p.Silence.Since)
		}
		if p.Earlier != nil {
			to(&p.Earlier.Seen)
		}
	}
}
