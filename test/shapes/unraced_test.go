//go:build !race

package shapes

const raced = false
