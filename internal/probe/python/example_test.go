package python_test

import (
	"fmt"
	"os"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/memory"
	"github.com/nvnodetop/nvnodetop/internal/probe/python"
)

// This process runs no Python.
func ExampleFind() {
	program, err := os.Executable()
	if err != nil {
		fmt.Println(err)
		return
	}
	areas, err := memory.Areas("/proc/self/maps", python.Tells)
	if err != nil {
		fmt.Println(err)
		return
	}
	runtime, err := python.Find(memory.Open(os.Getpid(), time.Now().Add(time.Second)), areas, program)
	if err != nil {
		fmt.Println(err)
		return
	}
	threads, err := runtime.Threads()
	for i := range threads {
		stack, _ := runtime.Stack(&threads[i], func() string { return "" })
		fmt.Println(stack.Frames)
	}
	fmt.Println(err)
	// Output: no Python interpreter
}
