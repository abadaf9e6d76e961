// Package arch holds no code: its tests keep the map in docs/ARCHITECTURE.md true. They check which package of this project may import
// which, that go-nvml stays in one place, and that every package says what it is for.
package arch
