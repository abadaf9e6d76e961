// Package standin tests what each output says of a host that nvidia-smi reads in place of a probe, and of a GPU there
// that is lost. It has no code of its own.
package standin
