package web

import (
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

	"golang.org/x/net/netutil"
)

// Limits of what clients can hold. There may be as many streams as maxStreams, and some requests beside them.
const (
	maxConnections = 2 * maxStreams
	headerTime     = 5 * time.Second
	requestTime    = 10 * time.Second
	answerTime     = 30 * time.Second
	idleTime       = 2 * time.Minute
	maxHeader      = 16 << 10
)

// unixPrefix is what a socket's path has before it.
const unixPrefix = "unix:"

// Place is where a Server listens.
type Place struct {
	Address   string // HOST:PORT, or unix:PATH
	Cert, Key string // files; "": no TLS
}

// ErrUnsafe says that others could listen in.
var ErrUnsafe = errors.New("needs --tls-cert and --tls-key: other hosts can reach it")

// Listener is a place at which a Server listens.
type Listener struct {
	net.Listener
	Socket bool // only this user can reach it
	Local  bool // only this host can reach it
	TLS    bool
}

// Listen begins to listen at a place.
func Listen(p Place) (*Listener, error) {
	var certs []tls.Certificate
	if p.Cert != "" {
		pair, err := tls.LoadX509KeyPair(p.Cert, p.Key)
		if err != nil {
			return nil, fmt.Errorf("read the certificate %q and its key %q: %w", p.Cert, p.Key, err)
		}
		certs = append(certs, pair)
	}
	l, err := bind(p.Address, certs != nil)
	if err != nil {
		return nil, err
	}
	l.Listener = netutil.LimitListener(l.Listener, maxConnections)
	if certs != nil {
		l.TLS = true
		l.Listener = tls.NewListener(l.Listener, &tls.Config{Certificates: certs, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}})
	}
	return l, nil
}

func bind(address string, safe bool) (*Listener, error) {
	if path, ok := strings.CutPrefix(address, unixPrefix); ok {
		l, err := bindSocket(path)
		return &Listener{Listener: l, Socket: true, Local: true}, err
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
		return nil, readable(address, err)
	}
	return &Listener{Listener: l, Local: local}, nil
}

// readable is an error of a bind in short.
func readable(address string, err error) error {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return fmt.Errorf("listen at %q: %w", address, errno)
	}
	return fmt.Errorf("listen at %q: %w", address, err)
}

// bindSocket makes a socket that only this user can open. One that a killed process has left is replaced.
func bindSocket(path string) (net.Listener, error) {
	at := &net.UnixAddr{Name: path, Net: "unix"}
	if path == "" {
		return nil, fmt.Errorf("%q needs a path", unixPrefix)
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
		return nil, readable(path, err)
	}
	return l, nil
}

// NewHTTP returns what reads requests and gives each client its limits.
func NewHTTP(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, WriteTimeout: answerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog: log.New(io.Discard, "", 0), // what clients do wrong is no news on the terminal
	}
}
