package report

import "time"

// Tag is a part of a run that the program marked (nvnodetop mark), with the use of GPUs during it. A part may have
// begun several times.
type Tag struct {
	Name    string    `json:"name"`
	From    time.Time `json:"from"`
	To      time.Time `json:"to,omitzero"` // zero: it has not ended
	Seconds float64   `json:"seconds"`     // of all its times together; 0 if it was only a moment
	Times   int       `json:"times"`
	Util    *TagUtil  `json:"util_percent,omitempty"`
	// the most that one GPU had in use, and the most that the command used on this host
	GPUMemory *uint64  `json:"gpu_memory_peak_bytes,omitempty"`
	RAM       *uint64  `json:"ram_peak_bytes,omitempty"`
	Energy    *float64 `json:"energy_joules,omitempty"` // of all GPUs, from samples of their power
}

// TagUtil is the utilization of the GPUs: their mean over time, and the highest sample of any of them.
type TagUtil struct {
	Mean    float64 `json:"mean"`
	Highest float64 `json:"highest"`
}
