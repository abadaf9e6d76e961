package wire

import "github.com/nvnodetop/nvnodetop/pkg/schema"

// Inspect asks for everything that the kernel tells about one process. It is read only on request: some of it is dear.
type Inspect struct {
	ProcessID

	// Memory asks for Inspection.Full too. The kernel walks through all pages of the process for it, and a large
	// process waits when it changes its mappings meanwhile.
	Memory bool `json:"memory,omitempty"`
}

// Inspection has the kernel's facts about a process. It is one of the documents of package schema, so that programs
// get it as the node has sent it.
type Inspection = schema.ProcessDetails

// Limits of an Inspection.
const (
	MaxInspected  = 512       // elements of each list
	MaxPath       = 512       // bytes of a path
	MaxInspection = 768 << 10 // bytes of JSON
)
