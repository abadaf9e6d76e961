package web

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// queue is a Listener with clients that wait in the kernel's queue, and say nothing.
type queue struct{ net.Listener }

func (queue) Accept() (net.Conn, error) {
	c, _ := net.Pipe()
	return c, nil
}

// serve reads from a client as a server does that has just accepted it.
func serve(c net.Conn) {
	go func() { _, _ = io.Copy(io.Discard, c) }()
}

// The owner, behind a full queue of strangers who say nothing, is let in soon. Over TLS each has its full time. When
// strangers come slowly again, each has its full time again.
func TestAFloodIsShort(t *testing.T) {
	for name, tc := range map[string]struct {
		least, most, fewest time.Duration
	}{
		"plain": {leastGrace, time.Second, 0}, "TLS": {grace, 5 * time.Second, 3 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPlaces(queue{}, tc.least)
			began := time.Now()
			var all []net.Conn
			for range 4096 { // net.core.somaxconn
				c, err := p.Accept()
				if err != nil {
					t.Fatal(err)
				}
				serve(c)
				all = append(all, c)
			}
			if took := time.Since(began); took > tc.most || took < tc.fewest {
				t.Errorf("%s: the last is let in after %v", name, took)
			}
			for range 1000 {
				for _, c := range all {
					_ = c.Close()
				}
				c, _ := p.Accept()
				serve(c)
				all = []net.Conn{c}
			}
			_ = all[0].Close()
			if p.grace != grace {
				t.Errorf("%s: later the grace is %v", name, p.grace)
			}
		})
	}
}

// A busy host is slow to read what a client has sent. The client keeps its place until the server has read it and waits
// for more, however many others come meanwhile. A client that sends a byte now and then does not gain time by that.
func TestASlowServerClosesNobody(t *testing.T) {
	for name, tc := range map[string]struct {
		read func(g net.Conn, client net.Conn) // the server, and the oldest client
		kept bool
	}{
		"not yet read": {func(net.Conn, net.Conn) {}, true},
		"read, not yet understood": {func(g, client net.Conn) {
			go func() { _, _ = io.WriteString(client, "GET / HTTP/1.1\r\n") }()
			_, _ = g.Read(make([]byte, 100))
		}, true},
		"a byte now and then": {func(g, client net.Conn) {
			serve(g)
			go func() {
				for {
					if _, err := io.WriteString(client, "G"); err != nil {
						return
					}
					time.Sleep(grace / 10)
				}
			}()
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, client := net.Pipe()
				p := newPlaces(nil, leastGrace)
				oldest := p.admitClient(ours)
				defer oldest.Close()
				tc.read(oldest, client)
				for range maxStrangers - 1 {
					c, _ := net.Pipe()
					g := p.admitClient(c)
					defer g.Close()
				}
				more := make(chan struct{})
				go func() {
					defer close(more)
					p.makeRoom()
				}()
				time.Sleep(10 * time.Second)
				synctest.Wait()
				if oldest.left == tc.kept {
					t.Errorf("the oldest client has left: %v", oldest.left)
				}
				_ = oldest.Close()
				<-more
			})
		})
	}
}

// pest is the behavior of a client without the token in the place that it has taken.
type pest func(c net.Conn)

func idle(net.Conn) {}

// half begins a request, or bytes that TLS does not understand.
func half(c net.Conn) { _, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n") }

// busy requests a public page.
func busy(c net.Conn) {
	in := bufio.NewReader(c)
	for {
		if _, err := io.WriteString(c, "GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			return
		}
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			return
		}
		_, err = io.Copy(io.Discard, answer.Body)
		if _ = answer.Body.Close(); err != nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// besiege takes all places for clients without the token, tries to take more, and keeps trying.
func besiege(t *testing.T, address string, p pest) {
	t.Helper()
	for range maxKnown + maxStrangers + 64 {
		go func() {
			for t.Context().Err() == nil {
				c, err := net.Dial("tcp", address)
				if err != nil {
					return
				}
				stop := context.AfterFunc(t.Context(), func() { _ = c.Close() })
				p(c)
				_, _ = io.Copy(io.Discard, c)
				stop()
				_ = c.Close()
				time.Sleep(time.Second / 2)
			}
		}()
	}
	time.Sleep(time.Second) // all have connected
}

// Clients that have not shown the token keep out nobody who has it. One flood comes after the other: several at a time
// leave the owner's client no CPU on a small machine.
func TestStrangersKeepNoPlace(t *testing.T) {
	cert, key, _ := certificate(t)
	http1, https := Endpoint{Address: "127.0.0.1:0"}, Endpoint{Address: "127.0.0.1:0", Cert: cert, Key: key}
	for name, c := range map[string]struct {
		Endpoint
		pest
	}{
		"silent": {http1, idle}, "half a request": {http1, half}, "busy": {http1, busy},
		"no handshake": {https, idle},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := Listen(c.Endpoint)
			if err != nil {
				t.Fatal(err)
			}
			server := NewHTTP(newRig(secret, true).answers)
			go func() { _ = server.Serve(l) }()
			defer server.Close()
			besiege(t, l.Addr().String(), c.pest)
			if answer, err := owners(l); err != nil || answer != http.StatusOK {
				t.Errorf("the owner: %d, %v", answer, err)
			}
		})
	}
}

// owners asks with the token, over a connection of its own.
func owners(l *Listener) (status int, err error) {
	base := "http://" + l.Addr().String()
	if l.TLS {
		base = "https://" + l.Addr().String()
	}
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	request, err := http.NewRequest(http.MethodGet, base+"/api/v1/jobs", nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+secret)
	answer, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}

// A client that has shown the token keeps its connection, however many others connect.
func TestWhoIsKnownKeepsItsPlace(t *testing.T) {
	t.Parallel()
	l, err := Listen(Endpoint{Address: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	server := NewHTTP(newRig(secret, true).answers)
	go func() { _ = server.Serve(l) }()
	defer server.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	in := bufio.NewReader(c)
	for i := range 2 {
		_, _ = io.WriteString(c, "GET /-/healthy HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+secret+
			"\r\n\r\n")
		answer, err := http.ReadResponse(in, nil)
		if err != nil || answer.StatusCode != http.StatusOK || answer.Close {
			t.Fatalf("request %d: %v, %v", i, answer, err)
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		if i == 0 {
			besiege(t, l.Addr().String(), idle)
		}
	}
	places := l.Listener.(*limitedListener)
	places.mu.Lock()
	if others := places.strangers.Len(); others == 0 || others > maxStrangers {
		t.Errorf("%d others have a place", others)
	}
	places.mu.Unlock()
	_ = c.Close()
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		places.mu.Lock()
		known := places.known
		places.mu.Unlock()
		if known == 0 {
			break
		}
		if time.Since(began) > 5*time.Second {
			t.Fatalf("%d places stay taken", known)
		}
	}
}

// A connection with the token that later asks without it ends as a stranger's does.
func TestStrangersAreToldToClose(t *testing.T) {
	r := newRig(secret, true)
	for _, path := range []string{"/", "/assets/icon.svg", "/-/healthy", "/-/ready", "/api/v1/jobs",
		"/?token=" + secret, "/?token=x", "/nowhere"} {
		if w := r.ask("GET", path); w.Header().Get("Connection") != "close" {
			t.Errorf("%s without the token keeps its connection", path)
		}
		if w := r.ask("POST", path); w.Header().Get("Connection") != "close" {
			t.Errorf("POST %s without the token keeps its connection", path)
		}
		if w := r.ask("GET", strings.Replace(path, "?token="+secret, "", 1), "Authorization: Bearer "+
			secret); path != "/?token=x" && w.Header().Get("Connection") != "" {
			t.Errorf("%s with the token does not keep its connection", path)
		}
	}
}
