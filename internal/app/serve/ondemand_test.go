package serve_test

import (
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/chromium"
	"github.com/nvnodetop/nvnodetop/test/daemon"
	"github.com/nvnodetop/nvnodetop/test/ondemand"
)

// session runs the app of contrib/ondemand with a demo.
func session(t *testing.T) *ondemand.Session {
	t.Helper()
	programs := t.TempDir()
	apptest.Script(t, filepath.Join(programs, "nvnodetop"), "--demo=2x4")
	return ondemand.Run(t, "../../../contrib/ondemand", programs,
		map[string]string{"context.modules": "", `context.logs == "1"`: "true"})
}

// The app of Open OnDemand serves the page at a port of its own, and only its user has the token.
func TestAppOfOpenOnDemand(t *testing.T) {
	t.Parallel()
	s := session(t)
	for _, name := range []string{"token", "connection.yml", "address"} {
		if info, err := os.Stat(filepath.Join(s.Dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	address, err := os.ReadFile(filepath.Join(s.Dir, "address"))
	if said := s.Output(t) + string(address); err != nil || len(s.Password()) != 32 ||
		strings.Contains(said, s.Password()) {
		t.Errorf("%v, the token %q is in %s", err, s.Password(), said)
	}
	link := "http://127.0.0.1:" + s.Port() + "/"
	if status, text := ask(t, http.DefaultClient, link+"?token="+s.Password(), "api/v1/jobs"); status != http.StatusOK {
		t.Errorf("with the password: %d, %s", status, text)
	}
	if status, _ := ask(t, http.DefaultClient, link, "api/v1/jobs"); status != http.StatusUnauthorized {
		t.Errorf("without: %d", status)
	}
	if view := s.View(t); !strings.Contains(view, `action="/rnode/127.0.0.1/`+s.Port()+`/"`) ||
		!strings.Contains(view, `value="`+s.Password()+`"`) {
		t.Errorf("the view is %s", view)
	}
}

// The app finds the port in the address that serve prints, also with TLS, but not in that of a run before a requeue.
func TestPortOfTheApp(t *testing.T) {
	t.Parallel()
	app, err := filepath.Abs("../../../contrib/ondemand/template")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ address, before, want string }{
		{"http://gpu01.cluster.example:41234/", "", "41234"},
		{"https://gpu01.cluster.example:41234/", "", "41234"},
		{"unix socket /gpu01:41234/", "", "none"},
		{"http://gpu01.cluster.example:41234/", ". " + app + "/before.sh; ", "none"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "address"), []byte(c.address+"\nmore\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "bash", "-c", "SCRIPT_PID=; clean_up() { echo none; exit; }; "+
			"create_passwd() { echo secret; }; "+c.before+". "+app+"/after.sh; echo $port")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if !strings.HasSuffix("\n"+string(out), "\n"+c.want+"\n") || err != nil {
			t.Errorf("%+v: %q, %v", c, out, err)
		}
	}
}

// Behind the portal of Open OnDemand, which removes its part of addresses (/rnode) or keeps it (/node), a browser signs
// in, and the page, its links, its logs and its live events work. The portal logs no token of a form.
func TestPageBehindOpenOnDemand(t *testing.T) {
	t.Parallel()
	portal, b := ondemand.Start(t), chromium.New(t)
	t.Run("rnode", func(t *testing.T) {
		s := session(t)
		for name, text := range map[string]string{"view.html": s.View(t), "favicon.ico": ""} {
			if err := os.WriteFile(filepath.Join(portal.Root, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		// the form would open a tab of its own
		if err := errors.Join(b.Open(portal.URL+"/view.html"), b.Wait("document.querySelector('form button')"),
			b.Leave("document.querySelector('form').target = ''; document.querySelector('form button').click()"),
		); err != nil {
			t.Fatal(err)
		}
		use(t, b, "/rnode/127.0.0.1/"+s.Port()+"/")
		if asked := portal.Log(t); strings.Contains(asked, s.Password()) || !strings.Contains(asked, "POST /rnode/") {
			t.Errorf("the portal has logged\n%s", asked)
		}
		cookie(t, portal.Address("rnode", s.Port()), s.Password())
	})
	t.Run("node", func(t *testing.T) {
		_, port, _ := net.SplitHostPort(daemon.FreeAddress(t))
		lines, end := served(t, "--behind-proxy", "--logs", "--listen", ":"+port, "--base-path",
			"/node/127.0.0.1/"+port)
		if len(lines) != 2 {
			t.Fatal(end())
		}
		defer func() {
			if err := end(); err != nil {
				t.Error(err)
			}
		}()
		_, token, _ := strings.Cut(lines[0], "?token=")
		if err := b.Open(portal.Address("node", port) + "?token=" + token); err != nil {
			t.Fatal(err)
		}
		use(t, b, "/node/127.0.0.1/"+port+"/")
		if n := strings.Count(portal.Log(t), token); n != 2 { // its address, and the same with a slash
			t.Errorf("the portal has logged the token %d times\n%s", n, portal.Log(t))
		}
		cookie(t, portal.Address("node", port), token)
	})
}

// use uses the page at a path of the portal as a person does.
func use(t *testing.T, b *chromium.Browser, path string) {
	t.Helper()
	at := "location.pathname === '" + path + "' && location.search === '' && "
	click := func(link string) error {
		return errors.Join(b.Wait(link), b.Eval(link+".click()", nil))
	}
	events := `new Promise((done) => {
		const stream = new EventSource('api/v1/events');
		let seen = 0;
		stream.addEventListener('snapshot', () => {
			if (++seen < 3) return;
			stream.close();
			done(seen);
		});
	})`
	var seen int
	if err := b.Wait(at + "document.querySelector('main section') && " +
		"document.querySelector('.state').innerText === 'live'"); err != nil {
		var page string
		t.Fatal(err, b.Eval("location.href + document.body.innerText", &page), page)
	}
	if err := b.Eval(events, &seen); err != nil || seen != 3 {
		t.Fatalf("%d events, %v", seen, err)
	}
	if err := errors.Join(click(`document.querySelector('main a[href^="#/job/"]')`),
		b.Wait(at+"location.hash.startsWith('#/job/') && document.querySelector('h1')"),
		b.Eval("location.hash = location.hash.replace('#/job/', '#/log/')", nil),
		b.Wait("document.querySelector('pre.log div')"),
		click(`document.querySelector('nav a[href="#/nodes"]')`),
		b.Wait(at+"document.querySelector('table.nodes td')"),
		b.Leave("window.before = true; location.reload()"),
		b.Wait(at+"!window.before && document.querySelector('table.nodes td')")); err != nil {
		var page string
		t.Fatal(err, b.Eval("location.href + document.body.innerText", &page), page)
	}
	said, err := b.Complaints()
	if err != nil || len(said) > 0 {
		t.Errorf("the browser complains: %q, %v", said, err)
	}
	// the page would complain that its server ends
	if err := errors.Join(b.Open("about:blank"), b.Wait("location.href === 'about:blank'")); err != nil {
		t.Fatal(err)
	}
}

// cookie signs in by a link, and looks at the cookie that the portal passes on.
func cookie(t *testing.T, page, token string) {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, page+"/?token="+token, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	path := regexp.MustCompile(`^http://[^/]+`).ReplaceAllString(page, "")
	cookies := answer.Cookies()
	if len(cookies) != 1 || cookies[0].Path != path || !cookies[0].HttpOnly ||
		cookies[0].SameSite != http.SameSiteStrictMode || answer.Header.Get("Location") != path+"/" {
		t.Errorf("%d to %q, cookies %v", answer.StatusCode, answer.Header.Get("Location"), cookies)
	}
}
