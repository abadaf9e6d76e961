//go:build !linux

package probe

func kernelBeat() Beat { return tickerBeat() }
