package probe

import (
	"os"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/probe/clock"
	"github.com/nvnodetop/nvnodetop/internal/probe/host"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func TestRealHello(t *testing.T) {
	if _, err := os.Stat("/proc/meminfo"); err != nil {
		t.Skip("needs /proc of Linux")
	}
	at := clock.Now()
	if at.Boot < at.Mono || at.Mono <= 0 {
		t.Errorf("clocks %+v: the time since boot counts sleep as well", at)
	}
	var hello wire.Hello
	host.Describe(&hello, "/proc")
	if hello.CPUs < 1 || hello.Kernel == "" || hello.Host == "" {
		t.Errorf("hello %+v", hello)
	}
}
