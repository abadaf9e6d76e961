package web

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestOnlySafePlaces(t *testing.T) {
	for _, address := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:0"} {
		if l, err := Listen(Endpoint{Address: address}); !errors.Is(err, ErrUnsafe) {
			t.Errorf("%q: %v, %v", address, l, err)
		}
	}
	for _, address := range []string{"127.0.0.1:0", "localhost:0", "127.0.0.2:0"} {
		l, err := Listen(Endpoint{Address: address})
		if err != nil || !l.Local || l.Socket || l.TLS {
			t.Fatalf("%q: %+v, %v", address, l, err)
		}
		_ = l.Close()
	}
}

func TestPlacesThatCannotBe(t *testing.T) {
	taken, err := Listen(Endpoint{Address: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		taken.Addr().String():                   "address already in use",
		"127.0.0.1":                             "must be HOST:PORT, :PORT or unix:PATH",
		"127.0.0.1:99999":                       `no port "99999"`,
		"http://127.0.0.1:1":                    "must be HOST:PORT",
		"http://h":                              "must be HOST:PORT",
		"unix:" + filepath.Join(dir, "no", "s"): "no such file or directory",
		"unix:" + file:                          "address already in use",
		"unix:" + dir + strings.Repeat("/long", 30): "invalid argument",
		"unix:":      "must be HOST:PORT, :PORT or unix:PATH",
		"unix:@":     "is an abstract socket",
		"unix:@x":    "is an abstract socket",
		"unix:\x00x": "is an abstract socket",
	} {
		l, err := Listen(Endpoint{Address: address})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, %v", address, l, err)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "x" {
		t.Errorf("a file in the way was removed: %v", err)
	}
	if _, err := Listen(Endpoint{Address: "127.0.0.1:0", Cert: file, Key: file}); err == nil ||
		!strings.Contains(err.Error(), file) {
		t.Errorf("a certificate that is none: %v", err)
	}
}

// Other users cannot open the socket. A stale socket is replaced, a socket in use is not.
func TestSocketIsOnlyTheUsers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	first, err := Listen(Endpoint{Address: "unix:" + path})
	if err != nil || !first.Socket || !first.Local {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if _, err := Listen(Endpoint{Address: "unix:" + path}); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a second one: %v", err)
	}
	raw, err := net.ListenUnix("unix", &net.UnixAddr{Name: path + "2"})
	if err != nil {
		t.Fatal(err)
	}
	raw.SetUnlinkOnClose(false)
	_ = raw.Close()
	again, err := Listen(Endpoint{Address: "unix:" + path + "2"})
	if err != nil {
		t.Fatalf("after a killed process: %v", err)
	}
	_, _ = again.Close(), first.Close()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the socket stays: %v", err)
	}
}

// On some file systems a new file gets another mode or owner.
func TestSocketThatOthersCanOpen(t *testing.T) {
	dir := t.TempDir()
	file, socket := filepath.Join(dir, "file"), filepath.Join(dir, "s")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := Listen(Endpoint{Address: "unix:" + socket})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := onlyOurs(socket); err != nil {
		t.Error(err)
	}
	for _, mode := range []os.FileMode{0o660, 0o606, 0o620} {
		if err := os.Chmod(socket, mode); err != nil {
			t.Fatal(err)
		}
		if err := onlyOurs(socket); !errors.Is(err, ErrNotPrivate) {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
	if err := onlyOurs(file); !errors.Is(err, ErrNotPrivate) {
		t.Errorf("a file: %v", err)
	}
	if os.Getuid() == 0 {
		if err := errors.Join(os.Chmod(socket, 0o600), os.Chown(socket, 65534, -1)); err != nil {
			t.Fatal(err)
		}
		if err := onlyOurs(socket); !errors.Is(err, ErrNotPrivate) {
			t.Errorf("of another user: %v", err)
		}
	}
}

// A key that others can read is refused, as by ssh.
func TestOpenKey(t *testing.T) {
	cert, key, _ := certificate(t)
	for _, mode := range []os.FileMode{0o600, 0o400, 0o640, 0o644, 0o604} {
		if err := os.Chmod(key, mode); err != nil {
			t.Fatal(err)
		}
		l, err := Listen(Endpoint{Address: "127.0.0.1:0", Cert: cert, Key: key})
		if err == nil {
			_ = l.Close()
		}
		if errors.Is(err, ErrOpenKey) != (mode&0o077 != 0) || err != nil && !strings.Contains(err.Error(), key) {
			t.Errorf("%o: %v", mode, err)
		}
	}
}

// certificate writes a certificate for localhost.
func certificate(t *testing.T) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key, pool = filepath.Join(dir, "cert"), filepath.Join(dir, "key"), x509.NewCertPool()
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der},
		key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	leaf, _ := x509.ParseCertificate(der)
	pool.AddCert(leaf)
	return cert, key, pool
}

func TestTLS(t *testing.T) {
	cert, key, pool := certificate(t)
	l, err := Listen(Endpoint{Address: ":0", Cert: cert, Key: key})
	if err != nil || l.Local || !l.TLS {
		t.Fatalf("%+v, %v", l, err)
	}
	r := newRig(secret, l.Local)
	server := NewHTTP(r.answers)
	go func() { _ = server.Serve(l) }()
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool},
		ForceAttemptHTTP2: true}}
	defer client.CloseIdleConnections()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://localhost:"+port+"/api/v1/jobs", nil)
	request.Header.Set("Authorization", "Bearer "+secret)
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK || answer.ProtoMajor != 2 ||
		!strings.Contains(string(text), `"id":"7"`) {
		t.Errorf("%s, HTTP/%d: %s", answer.Status, answer.ProtoMajor, text)
	}
}
