package python_test

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/memory"
	"github.com/nvnodetop/nvnodetop/internal/probe/python"
)

// It has no output to compare: what other processes run is not known here.
func ExampleFind() {
	pid, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fmt.Println(err)
		return
	}
	process := "/proc/" + strconv.Itoa(pid)
	program, _ := os.Readlink(process + "/exe")
	areas, err := memory.Areas(process+"/maps", python.Tells)
	if err != nil {
		fmt.Println(err)
		return
	}
	runtime, err := python.Find(memory.Open(pid, time.Now().Add(time.Second)), areas, program)
	if err != nil {
		fmt.Println(err)
		return
	}
	threads, err := runtime.Threads()
	if err != nil {
		fmt.Println(err)
		return
	}
	mayRun := func() string { return "" }
	for i := range threads {
		stack, err := runtime.Stack(&threads[i], mayRun)
		fmt.Println(stack.Frames, err)
	}
}
