package schema

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// GPU is a GPU, or a MIG instance of one.
type GPU struct {
	// the device's minor number, as in /dev/nvidia0; nil: Key names the GPU
	Index      *int      `json:"index,omitempty"`
	Key        string    `json:"key,omitempty"` // of a MIG instance, or of a GPU whose number is not known
	UUID       string    `json:"uuid,omitempty"`
	Name       string    `json:"name,omitempty"` // of the model
	PCIBus     string    `json:"pci_bus,omitempty"`
	MIG        bool      `json:"mig,omitempty"` // MIG mode is on
	Serial     string    `json:"serial,omitempty"`
	VBIOS      string    `json:"vbios,omitempty"`
	Capability string    `json:"cuda_capability,omitempty"`
	Instance   *Instance `json:"mig_instance,omitempty"` // nil: it is a GPU itself
	// UUID of the NVLink domain of several nodes to which the GPU belongs, as with GB200; empty: none is known
	FabricDomain string `json:"fabric_domain,omitempty"`

	Lost      string `json:"lost,omitempty"`       // why the driver does not give access to it
	LostClass string `json:"lost_class,omitempty"` // stable: programs may match on it
	// how long a driver call has not returned; 0: none hangs
	HangsSeconds float64 `json:"hangs_seconds,omitempty"`
	HangingCall  string  `json:"hanging_call,omitempty"` // the call that hangs
	// how much older its numbers are than those of its node; 0: they are from the node's last report
	AgeSeconds float64 `json:"age_seconds,omitempty"`
	Unlisted   string  `json:"processes_unlisted,omitempty"` // why its processes cannot be listed

	Metrics Metrics `json:"-"` // members of the object, in the document
	// sum of the memory of its processes, where the driver does not count the memory of the GPU (GB10 and its kin use
	// the host's); nil: the driver counts it, or the sum is not known
	MemoryOfProcesses *uint64 `json:"memory_of_processes_bytes,omitempty"`
	// why its clocks are reduced, such as sw_power_cap; empty: they are not; nil: not known
	ThrottleReasons []string `json:"throttle_reasons,omitzero"`
	// numbers of the NVLink links that are up; nil: not known
	NVLinksUp []int `json:"nvlink_up,omitzero"`

	Absent map[string][]string `json:"absent,omitempty"` // why metrics are missing: by reason, the keys of the metrics
	Jobs   []string            `json:"jobs,omitempty"`   // Job.ID of the jobs that own it, as far as known
}

// Instance says to which GPU a MIG instance belongs, and which of its instances it is.
type Instance struct {
	Parent  string `json:"parent"` // UUID of the GPU
	Index   int    `json:"index"`  // as nvidia-smi -L counts them
	GPU     int    `json:"gi"`     // ID of the GPU instance
	Compute int    `json:"ci"`     // ID of the compute instance
}

// MarshalJSON writes the GPU as in the document. Its metrics are members of the object.
func (g GPU) MarshalJSON() ([]byte, error) {
	var o object
	if g.Index != nil {
		o = o.addMember("index", *g.Index)
	}
	o = o.addMember("key", g.Key).addMember("uuid", g.UUID).addMember("name", g.Name).addMember("pci_bus",
		g.PCIBus).addMember("mig", g.MIG)
	o = o.addMember("serial", g.Serial).addMember("vbios", g.VBIOS).addMember("cuda_capability", g.Capability)
	o = o.addMember("fabric_domain", g.FabricDomain)
	if g.Instance != nil {
		o = o.addMember("mig_instance", *g.Instance)
	}
	o = o.addMember("lost", g.Lost).addMember("lost_class", g.LostClass).addMember("hangs_seconds",
		unlessZero(g.HangsSeconds)).addMember("hanging_call", g.HangingCall)
	o = o.addMember("age_seconds", unlessZero(g.AgeSeconds)).addMember("processes_unlisted", g.Unlisted)
	o = g.Metrics.appendTo(o, metric.GPU)
	if g.MemoryOfProcesses != nil {
		o = o.addMember("memory_of_processes_bytes", *g.MemoryOfProcesses)
	}
	if g.ThrottleReasons != nil {
		o = o.addMember(metric.Throttle.Row().Key, g.ThrottleReasons)
	}
	if g.NVLinksUp != nil {
		o = o.addMember(metric.NVLinkUp.Row().Key, g.NVLinksUp)
	}
	if len(g.Absent) > 0 {
		o = o.addMember("absent", g.Absent)
	}
	if len(g.Jobs) > 0 {
		o = o.addMember("jobs", g.Jobs)
	}
	return o.json(), nil
}

// unlessZero returns a number that addMember leaves out if it is 0.
func unlessZero(x float64) any {
	if x == 0 {
		return ""
	}
	return x
}

// UnmarshalJSON reads the GPU. Every number in the object that is not a field is a metric, even if this version does
// not know it.
func (g *GPU) UnmarshalJSON(text []byte) error {
	type fields GPU // without the methods
	var read fields
	err := json.Unmarshal(text, &read)
	if err == nil {
		read.Metrics, err = numbersIn(text, gpuFields())
	}
	*g = GPU(read)
	return err
}

// gpuFields returns the members of the object that are fields.
func gpuFields() map[string]bool {
	gpuNames.once.Do(func() {
		gpuNames.of = map[string]bool{}
		for f := range reflect.TypeFor[GPU]().Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			gpuNames.of[name] = true
		}
	})
	return gpuNames.of
}

// gpuNames is made on demand: the probe, which uses another type of this package, never needs it.
var gpuNames struct {
	once sync.Once
	of   map[string]bool
}
