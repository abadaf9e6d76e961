package source

import "time"

// touch notes that a key was pressed.
func (d *discoverer) touch() {
	now := time.Now()
	d.mu.Lock()
	away := now.Sub(d.key)
	d.key = now
	d.mu.Unlock()
	if away >= inUse {
		d.back.Ring()
	}
}

// list notes whether the list of jobs is on the screen.
func (d *discoverer) list(shown bool) {
	d.mu.Lock()
	turns := shown && !d.listed
	d.listed, d.seen.listed = shown, shown
	d.mu.Unlock()
	if turns {
		d.back.Ring()
	}
}

// leave notes that the user has gone, as if the last key were long ago.
func (d *discoverer) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.key = time.Now().Add(-idle)
}

// attended returns the pace while keys are pressed.
func (d *discoverer) attended() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.seen.interval(0)
}
