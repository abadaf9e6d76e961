// Package arch has no code. Its tests check the rules in docs/ARCHITECTURE.md: which package may import which, who may
// import certain modules such as go-nvml, and that every package has a doc comment.
package arch
