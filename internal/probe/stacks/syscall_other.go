//go:build !linux || (!amd64 && !arm64)

package stacks

func subjectOf(int) waitSubject { return 0 }

func callOf(int) call { return call{} }
