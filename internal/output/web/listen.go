package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/private"
)

// Limits on the resources that one client can use.
const (
	headerTime  = 5 * time.Second
	requestTime = 10 * time.Second
	answerTime  = 30 * time.Second
	idleTime    = 2 * time.Minute
	maxHeader   = 16 << 10
)

// unixPrefix precedes the path of a socket.
const unixPrefix = "unix:"

// Endpoint is the place where a Server listens.
type Endpoint struct {
	Address   string // HOST:PORT, or unix:PATH
	Cert, Key string // files; "": no TLS
	Open      bool   // other hosts may reach it without TLS
	Proxied   bool   // likewise: a proxy with TLS makes it available to browsers
}

// Local reports whether only this host can reach the Endpoint.
func (p Endpoint) Local() bool {
	if strings.HasPrefix(p.Address, unixPrefix) {
		return true
	}
	at, err := net.ResolveTCPAddr("tcp", p.Address)
	return err == nil && at.IP.IsLoopback()
}

// Errors of an Endpoint on which Listen refuses to listen.
var (
	ErrUnsafe   = errors.New("needs --tls-cert and --tls-key, or --behind-proxy: other hosts can reach it")
	ErrAddress  = errors.New("must be HOST:PORT, :PORT or unix:PATH, such as 127.0.0.1:9481")
	ErrAbstract = errors.New("is an abstract socket, which every user of this host can open: name a file, as unix:PATH")
	ErrOpenKey  = errors.New("others can read it (chmod 600 prevents that)")
)

// ErrNotPrivate means that others could open the new socket.
var ErrNotPrivate = errors.New("is not a socket of yours with mode 0600: use a directory on another file system")

// Listener is a place at which a Server listens.
type Listener struct {
	net.Listener
	Socket bool // only this user can reach it
	Local  bool // only this host can reach it
	TLS    bool
}

// Listen begins to listen at a place.
func Listen(p Endpoint) (*Listener, error) {
	var certs []tls.Certificate
	if p.Cert != "" {
		if err := refuseOpenKey(p.Key); err != nil {
			return nil, err
		}
		pair, err := tls.LoadX509KeyPair(p.Cert, p.Key)
		if err != nil {
			return nil, fmt.Errorf("read the certificate %q and its key %q: %w", p.Cert, p.Key, err)
		}
		certs = append(certs, pair)
	}
	l, err := bindAddress(p.Address, certs != nil || p.Open || p.Proxied)
	if err != nil {
		return nil, err
	}
	least := leastGrace
	if certs != nil {
		least = grace
	}
	l.Listener = newPlaces(l.Listener, least)
	if certs != nil {
		l.TLS = true
		l.Listener = tls.NewListener(l.Listener, &tls.Config{Certificates: certs, MinVersion: tls.VersionTLS12,
			NextProtos: []string{"h2", "http/1.1"}})
	}
	return l, nil
}

// refuseOpenKey refuses a user's own key if others can read it, as ssh does. A group may be able to read a key of root.
func refuseOpenKey(key string) error {
	info, err := os.Stat(key)
	if err != nil {
		return fmt.Errorf("read the key of the certificate: %w", err)
	}
	if ownerUID(info) == os.Getuid() && info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("the key %q: %w", key, ErrOpenKey)
	}
	return nil
}

// ownerUID is the user ID of a file.
func ownerUID(info fs.FileInfo) int {
	return int(info.Sys().(*syscall.Stat_t).Uid)
}

func bindAddress(address string, safe bool) (*Listener, error) {
	if path, ok := strings.CutPrefix(address, unixPrefix); ok {
		l, err := bindSocket(path)
		return &Listener{Listener: l, Socket: true, Local: true}, err
	}
	if _, port, err := net.SplitHostPort(address); err != nil {
		return nil, fmt.Errorf("%q %w", address, ErrAddress)
	} else if _, err := net.DefaultResolver.LookupPort(context.Background(), "tcp", port); err != nil {
		return nil, fmt.Errorf("%q %w: no port %q", address, ErrAddress, port)
	}
	at, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, err
	}
	local := at.IP.IsLoopback()
	if !local && !safe {
		return nil, fmt.Errorf("%q %w", address, ErrUnsafe)
	}
	l, err := net.ListenTCP("tcp", at)
	if err != nil {
		return nil, shortBindError(address, err)
	}
	return &Listener{Listener: l, Local: local}, nil
}

// shortBindError shortens the error of a bind.
func shortBindError(address string, err error) error {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return fmt.Errorf("listen at %q: %w", address, errno)
	}
	return fmt.Errorf("listen at %q: %w", address, err)
}

// bindSocket creates a socket that only this user can open. It replaces a socket left behind by a killed process.
func bindSocket(path string) (net.Listener, error) {
	at := &net.UnixAddr{Name: path, Net: "unix"}
	switch {
	case path == "":
		return nil, fmt.Errorf("%q %w", unixPrefix, ErrAddress)
	case path[0] == '@' || strings.ContainsRune(path, 0):
		return nil, fmt.Errorf("%q %w", unixPrefix+path, ErrAbstract)
	}
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == fs.ModeSocket {
		other, err := net.DialUnix("unix", nil, at)
		if err == nil {
			_ = other.Close()
			return nil, fmt.Errorf("listen at %q: %w", path, syscall.EADDRINUSE)
		}
		if errors.Is(err, syscall.ECONNREFUSED) {
			_ = os.Remove(path)
		}
	}
	before := syscall.Umask(0o177)
	defer syscall.Umask(before)
	l, err := net.ListenUnix("unix", at)
	if err != nil {
		return nil, shortBindError(path, err)
	}
	if err := onlyOurs(path); err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

// onlyOurs checks who can open the new socket: some file systems have their own modes and owners.
func onlyOurs(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return shortBindError(path, err)
	}
	if private.Check(info, fs.ModeSocket) != nil {
		return fmt.Errorf("listen at %q: it %w", path, ErrNotPrivate)
	}
	return nil
}

// NewHTTP returns the server that reads requests and applies the limits for each client.
func NewHTTP(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, WriteTimeout: answerTime,
		IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ConnContext: withGuest,
		ErrorLog:    log.New(io.Discard, "", 0), // mistakes of clients are no news for the terminal
	}
}
