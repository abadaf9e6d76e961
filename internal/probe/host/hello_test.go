package host

import (
	"os"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func TestRealHello(t *testing.T) {
	if _, err := os.Stat("/proc/meminfo"); err != nil {
		t.Skip("needs /proc of Linux")
	}
	var hello wire.Hello
	Describe(&hello, "/proc", "/sys")
	if hello.CPUs < 1 || hello.Kernel == "" || hello.Host == "" {
		t.Errorf("hello %+v", hello)
	}
}
