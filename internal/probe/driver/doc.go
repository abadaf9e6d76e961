package driver

// An XidListener waits for the Xids of GPUs on goroutines of its own, and its XidBox holds the events until they are
// taken. Nothing here knows NVML: an XidWatch is one registration with the driver. No event is missed while an
// XidListener switches to other GPUs. An XidListener is for one goroutine, an XidBox for several. After End the
// goroutines are gone as soon as their last call returns.
