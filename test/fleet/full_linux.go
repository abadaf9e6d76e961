package fleet

import (
	"context"
	"net"
	"os"
	"syscall"
	"time"
)

// full is a socket whose queue is full, so that Linux drops packets to it: nothing answers there, as at the address of
// a host that is switched off.
type full struct {
	fd   int
	fill net.Conn
}

// fill makes an address silent.
func fill(host string, port int) (*full, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	f := &full{fd: fd}
	at := &syscall.SockaddrInet4{Port: port, Addr: [4]byte(net.ParseIP(host).To4())}
	if err := syscall.Bind(fd, at); err != nil {
		f.close()
		return nil, os.NewSyscallError("bind", err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		f.close()
		return nil, os.NewSyscallError("listen", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	var d net.Dialer
	if f.fill, err = d.DialContext(ctx, "tcp", (&net.TCPAddr{IP: at.Addr[:], Port: port}).String()); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (f *full) close() {
	if f.fill != nil {
		_ = f.fill.Close()
	}
	_ = syscall.Close(f.fd)
}
