package wire

// Inspect asks for everything that the kernel tells about one process. It is read only on request: some of it is dear.
type Inspect struct {
	ProcessID

	// Memory asks for the Full of an InspectedProcess too. The kernel walks through all pages of the process for it,
	// and a large process waits when it changes its mappings meanwhile.
	Memory bool `json:"memory,omitempty"`
}

// Inspect asks for everything about a process.
const (
	MaxInspected  = 512       // elements of each list
	MaxPath       = 512       // bytes of a path
	MaxInspection = 768 << 10 // bytes of JSON
)
