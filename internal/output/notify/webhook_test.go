package notify

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// quick is a pace for tests.
var quick = retryPolicy{first: time.Millisecond, most: 5 * time.Millisecond, try: 200 * time.Millisecond,
	all:   5 * time.Second,
	tries: 4}

const secret = "/services/T0/B0/secret"

func at(t *testing.T, server *httptest.Server) *url.URL {
	t.Helper()
	to, err := url.Parse(server.URL + secret)
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// What a server may accept later is tried again, with a limit; everything else is an error at once. No error has the
// URL, which is a secret.
func TestWebhook(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("another host was asked")
	}))
	defer elsewhere.Close()
	for name, tc := range map[string]struct {
		answers []func(w http.ResponseWriter)
		tries   int32
		want    string // in the error; "": there is none
	}{
		"accepted":       {[]func(http.ResponseWriter){status(204)}, 1, ""},
		"accepted later": {[]func(http.ResponseWriter){status(500), status(503), status(200)}, 3, ""},
		"too many":       {[]func(http.ResponseWriter){limited, limited, status(200)}, 3, ""},
		"never accepted": {[]func(http.ResponseWriter){status(502)}, 4, "it answers 502 Bad Gateway"},
		"refused": {[]func(http.ResponseWriter){status(404)}, 1,
			"it answers 404 Not Found: no \\u such hook"},
		"to another host":   {[]func(http.ResponseWriter){moved(307, elsewhere.URL)}, 1, "another host"},
		"to another scheme": {[]func(http.ResponseWriter){moved(308, "https://127.0.0.1:1/")}, 1, "another host"},
		"to the same host":  {[]func(http.ResponseWriter){moved(307, "/other"), status(200)}, 2, ""},
		"as a GET":          {[]func(http.ResponseWriter){moved(302, "/other")}, 1, "would be lost"},
		"hangs":             {[]func(http.ResponseWriter){hangs, status(200)}, 2, ""},
		"a flood":           {[]func(http.ResponseWriter){flood}, 1, "it answers 400"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var n atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				i := int(n.Add(1)) - 1
				body, err := io.ReadAll(r.Body)
				if err != nil || r.Method != http.MethodPost || !json.Valid(body) {
					t.Errorf("%s with %q, %v", r.Method, body, err)
				}
				tc.answers[min(i, len(tc.answers)-1)](w)
			}))
			defer server.Close()
			err := webhookWay(at(t, server), http.ProxyFromEnvironment, quick).Send(t.Context(), document("7: failed"))
			if n.Load() != tc.tries {
				t.Errorf("%d tries, want %d", n.Load(), tc.tries)
			}
			switch {
			case tc.want == "" && err == nil:
			case tc.want == "" || err == nil:
				t.Errorf("error %v", err)
			case !strings.Contains(err.Error(), strings.ReplaceAll(tc.want, "\\u ", "")) ||
				strings.Contains(err.Error(), "secret") ||
				strings.ContainsAny(err.Error(), "\n\x1b") || len(err.Error()) > 400:
				t.Errorf("error %q, want %q", err, tc.want)
			}
		})
	}
}

func status(code int) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, "no \x1b[31msuch hook\nsecond line")
	}
}

func limited(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "100000")
	w.WriteHeader(http.StatusTooManyRequests)
}

func moved(code int, to string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Location", to)
		w.WriteHeader(code)
	}
}

func hangs(http.ResponseWriter) { time.Sleep(2 * quick.try) }

func flood(w http.ResponseWriter) {
	w.WriteHeader(http.StatusBadRequest)
	for range 1000 {
		if _, err := w.Write([]byte(strings.Repeat("x", 10_000))); err != nil {
			return
		}
	}
}

// Whoever stops waiting hears what the server said last, and so does whoever waits to the end.
func TestTheLastWordOfAWebhook(t *testing.T) {
	t.Parallel()
	slow := quick
	slow.first, slow.most, slow.all = time.Minute, time.Minute, time.Hour
	short := quick
	short.try, short.all = time.Minute, 50*time.Millisecond
	for name, tc := range map[string]struct {
		answer func(http.ResponseWriter)
		pace   retryPolicy
		want   string
	}{
		"interrupted between tries":  {status(503), slow, "it answers 503"},
		"interrupted without answer": {hangs, slow, "no answer so far"},
		"too late":                   {hangs, short, "no answer so far"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan struct{}, 1)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				tc.answer(w)
				asked <- struct{}{}
			}))
			defer server.Close()
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				time.Sleep(quick.try / 2)
				if strings.Contains(tc.want, "503") {
					<-asked
					time.Sleep(2 * time.Second) // until the answer has arrived
				}
				cancel(errors.New("a signal"))
			}()
			began := time.Now()
			err := webhookWay(at(t, server), http.ProxyFromEnvironment, tc.pace).Send(ctx, document("x"))
			if err == nil || !strings.Contains(err.Error(), tc.want) || time.Since(began) > 30*time.Second {
				t.Errorf("%v after %v", err, time.Since(began))
			}
		})
	}
}

// Whatever a server repeats of the URL, no error has it.
func TestWebhookRepeatsTheSecret(t *testing.T) {
	t.Parallel()
	const token = "T000B000SECRETxyz"
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request){
		"as it is": func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "Cannot POST "+r.RequestURI, http.StatusNotFound)
		},
		"in JSON": func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, `{"path":"`+strings.ReplaceAll(r.URL.Path, "/", `\/`)+`"}`, http.StatusBadRequest)
		},
		"a half, in lower case": func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "no hook "+strings.ToLower(r.URL.Path[:len("/services/")+len(token)/2]), http.StatusNotFound)
		},
		"the password": func(w http.ResponseWriter, r *http.Request) {
			_, password, _ := r.BasicAuth()
			http.Error(w, r.Header.Get("Authorization")+" means "+password, http.StatusForbidden)
		},
		"in a Location": func(w http.ResponseWriter, r *http.Request) {
			moved(http.StatusTemporaryRedirect, "http://[::1:%zz"+r.URL.Path)(w)
		},
		"in a status line": func(w http.ResponseWriter, r *http.Request) { raw(w, "HTTP/1.1 "+r.URL.Path+"\r\n\r\n") },
		"in place of HTTP": func(w http.ResponseWriter, r *http.Request) { raw(w, r.RequestURI+"\r\n\r\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(answer))
			defer server.Close()
			to := at(t, server)
			to.User, to.Path, to.RawQuery = url.UserPassword("hooker", "p4ssw0rd"), "/services/"+token, "key=q-u-e-r-y"
			err := webhookWay(to, http.ProxyFromEnvironment, quick).Send(t.Context(), document("x"))
			if err == nil {
				t.Fatal("no error")
			}
			said := strings.ToLower(err.Error())
			for _, part := range []string{"services", "t000b", "secret", "p4ssw0rd", "q-u-e-r-y", "hooker", "aG9va2Vy"} {
				if strings.Contains(said, strings.ToLower(part)) {
					t.Errorf("%q has %q", err, part)
				}
			}
			if !strings.Contains(said, "…") {
				t.Errorf("%q does not say that something is left out", err)
			}
		})
	}
}

// raw answers with these bytes.
func raw(w http.ResponseWriter, words string) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	_, _ = io.WriteString(c, words)
	_ = c.Close()
}

// A proxy that refuses may repeat the password that it got.
func TestProxyRepeatsItsPassword(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw(w, "HTTP/1.1 407 me:p4ssw0rd was refused: "+r.Header.Get("Proxy-Authorization")+"\r\n\r\n")
	}))
	defer proxy.Close()
	by, err := url.Parse(strings.Replace(proxy.URL, "://", "://me:p4ssw0rd@", 1))
	if err != nil {
		t.Fatal(err)
	}
	to := &url.URL{Scheme: "https", Host: "hooks.example.org", Path: secret}
	err = webhookWay(to, http.ProxyURL(by), quick).Send(t.Context(), document("x"))
	if err == nil || strings.Contains(err.Error(), "p4ssw0rd") || strings.Contains(err.Error(), "bWU6") ||
		!strings.Contains(err.Error(), "was refused") {
		t.Errorf("%v", err)
	}
}

// A server with a certificate that nobody vouches for gets nothing, and one that is not there is an error without the
// URL.
func TestWebhookWithoutTrust(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("it got the message")
	}))
	server.Config.ErrorLog = nil
	defer server.Close()
	err := webhookWay(at(t, server), http.ProxyFromEnvironment, quick).Send(t.Context(), document("x"))
	if err == nil || !strings.Contains(err.Error(), "certificate") || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
	to := at(t, server)
	server.Close()
	err = webhookWay(to, http.ProxyFromEnvironment, quick).Send(t.Context(), document("x"))
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}

// Slack and Discord find their words, and no name of a job mentions a channel.
func TestPayload(t *testing.T) {
	d := document("7 <!channel> @everyone: failed")
	var got struct {
		Text, Content, Title string
		Mentions             *struct{ Parse []string } `json:"allowed_mentions"`
		News                 []News
	}
	if err := json.Unmarshal(webhookBody(d), &got); err != nil {
		t.Fatal(err)
	}
	if got.Text != "7 &lt;!channel&gt; @everyone: failed\ntwo\nlines" || got.Content != d.Text ||
		got.Title != d.Title ||
		got.Mentions == nil || got.Mentions.Parse == nil || len(got.Mentions.Parse) != 0 || len(got.News) != 1 {
		t.Errorf("%s", webhookBody(d))
	}
	d.Text = strings.Repeat("é", 5000)
	if err := json.Unmarshal(webhookBody(d), &got); err != nil || len(got.Content) > 2000 {
		t.Errorf("%v, %d bytes", err, len(got.Content))
	}
}

// The file of a webhook must be the user's own, and its URL one that keeps the message secret on its way.
func TestURLFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := write("foreign", "https://hooks.example.org"+secret, 0o600)
	if os.Geteuid() == 0 {
		if err := os.Chown(foreign, 1, -1); err != nil {
			t.Fatal(err)
		}
		if _, err := readURL(foreign); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
			t.Errorf("the file of another user: %v", err)
		}
	}
	for path, want := range map[string]string{
		write("good", "https://hooks.example.org"+secret+"\n", 0o600):      "",
		write("local", "http://127.0.0.1:8080"+secret, 0o400):              "",
		write("open", "https://hooks.example.org"+secret, 0o644):           "others can read it",
		write("group", "https://hooks.example.org"+secret, 0o640):          "others can read it",
		write("plain", "http://hooks.example.org"+secret, 0o600):           "no URL that begins with https://",
		write("fake", "http://127.0.0.1.example.org"+secret, 0o600):        "no URL that begins with https://",
		write("file", "file:///etc/passwd", 0o600):                         "no URL that begins with https://",
		write("broken", "https://hooks.example.org:x"+secret, 0o600):       "no URL that begins with https://",
		write("empty", "", 0o600):                                          "no URL that begins with https://",
		write("long", strings.Repeat("x", maxURL+1), 0o600):                "is longer than",
		write("lines", "https://hooks.example.org"+secret+"\nmore", 0o600): "no URL that begins with https://",
		fifo:                          "is not a regular file",
		dir:                           "is not a regular file",
		filepath.Join(dir, "nowhere"): "no such file",
	} {
		_, err := readURL(path)
		switch {
		case want == "" && err == nil:
		case want == "" || err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "secret") ||
			strings.Contains(err.Error(), "\n"):
			t.Errorf("%s: %v, want %q", filepath.Base(path), err, want)
		}
	}
}
