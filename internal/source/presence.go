package source

import "time"

// noteKey notes that a key was pressed.
func (d *discoverer) noteKey() {
	now := time.Now()
	d.mu.Lock()
	away := now.Sub(d.key)
	d.key = now
	d.mu.Unlock()
	if away >= inUse {
		d.back.Ring()
	}
}

// noteList notes whether the list of jobs is on the screen.
func (d *discoverer) noteList(shown bool) {
	d.mu.Lock()
	turns := shown && !d.listed
	d.listed, d.seen.listed = shown, shown
	d.mu.Unlock()
	if turns {
		d.back.Ring()
	}
}

// noteAbsence notes that the user has gone, as if the last key were long ago.
func (d *discoverer) noteAbsence() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.key = time.Now().Add(-idle)
}

// attendedInterval returns the interval while keys are being pressed.
func (d *discoverer) attendedInterval() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.seen.questionInterval(0)
}
