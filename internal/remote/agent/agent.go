// Package agent reads GPUs over HTTP from hosts that run an agent of nvgpu or nvnodetop serve: without ssh, and without
// a probe. It turns their answers to /gpu_status into the protocol of package wire, so everything above sees an
// ordinary session with fewer values. GPUs have only model, utilization, memory, SM clock and temperature; processes
// have only PID and user. Values that an agent does not send are absent, and that is the reason given.
//
// Any number of goroutines may use an Opener. Answers are limited in size and in the length of their lists, and
// redirects are not followed.
package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Door is the name of this connection to a node.
const Door = "nvgpu"

// StageRequest is the only stage of an attempt: it ends with the first answer.
const StageRequest reach.Stage = "request"

const (
	requestTime = 10 * time.Second
	maxAnswer   = 4 << 20
)

// Opener reaches agents. It implements poller.Opener.
type Opener struct {
	names  []string
	agents map[string]string // URLs by the names of the nodes
	self   bool              // Self is in the list
	client *http.Client
}

var _ poller.Opener = (*Opener)(nil)

// Self stands for this host in a list of agents: its GPUs are read without HTTP.
const Self = "self"

// Nobody stands for a list without agents, which nvgpu's file may have: the cluster is empty.
const Nobody = "no agents"

// IsList reports whether a list of hosts is a list of agents: Nobody, or URLs and Self, separated by commas.
func IsList(list string) bool { return strings.Contains(list, "://") || list == Self || list == Nobody }

// New returns the Opener for a list of URLs of agents.
func New(list string) (*Opener, error) {
	o := &Opener{agents: map[string]string{}}
	if list == Nobody {
		return o, nil
	}
	listed := map[string]bool{}
	for text := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(text) == Self {
			if o.self {
				return nil, fmt.Errorf("%q is in the list twice", Self)
			}
			o.self = true
			continue
		}
		u, err := parseURL(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		at := canonicalURL(u)
		if listed[at] {
			return nil, fmt.Errorf("%q is in the list twice", text)
		}
		listed[at] = true
		name := u.Hostname()
		if o.agents[name] != "" {
			name = u.Host + u.Path // several agents share a host
		}
		if o.agents[name] != "" {
			name = u.Scheme + "://" + name
		}
		o.agents[name] = strings.TrimSuffix(u.String(), "/") + "/gpu_status"
		o.names = append(o.names, name)
	}
	o.client = &http.Client{Timeout: requestTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return o, nil
}

// canonicalURL returns the common form of different spellings of one agent's URL.
func canonicalURL(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port) + strings.TrimSuffix(u.Path, "/")
}

func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	shown, _, _ := strings.Cut(text, "?") // no error shows a token or a password
	switch {
	case strings.Contains(shown, "@"):
		return nil, errors.New("a URL with a user or a password is refused: all users of this host can see it in the " +
			"list of processes")
	case err != nil:
		return nil, fmt.Errorf("%q is not the URL of an agent", shown)
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", u.RawQuery != "", u.Fragment != "":
		return nil, fmt.Errorf("%q is not the URL of an agent, such as http://gpu01:1080", shown)
	}
	return u, nil
}

// Names returns the names of the nodes, in the order of the list.
func (o *Opener) Names() []string { return slices.Clone(o.names) }

// HasSelf reports whether Self is in the list.
func (o *Opener) HasSelf() bool { return o.self }

// Route implements poller.Opener.
func (o *Opener) Route(context.Context, string) reach.Route {
	return reach.Route{Door: Door, Stages: []reach.Stage{StageRequest}}
}

// Open implements poller.Opener.
func (o *Opener) Open(ctx context.Context, node string, step func(reach.Step)) (poller.Session, error) {
	began := time.Now()
	step(reach.Step{Stage: StageRequest, State: reach.StepBegan, Text: "GET " + o.agents[node]})
	first, err := o.askAgent(ctx, o.agents[node])
	if err != nil {
		step(reach.Step{Stage: StageRequest, State: reach.StepFailed,
			Text: reach.AsFailure(err, reach.ClassOther).Summary(), Took: time.Since(began)})
		return nil, err
	}
	step(reach.Step{Stage: StageRequest, State: reach.StepDone, Text: fmt.Sprintf("%d GPUs", len(first.GPUs)),
		Took: time.Since(began)})
	return newSession(func(ctx context.Context) (*status, error) { return o.askAgent(ctx, o.agents[node]) }, first), nil
}

// proxySecret returns the secret in the URL of the proxy that a request goes through. The proxy may repeat it.
func proxySecret(request *http.Request) *safe.Secret {
	proxy, _ := http.ProxyFromEnvironment(request) // the request fails with the same error
	return safe.SecretOfURLs(proxy)
}

// askAgent asks an agent once.
func (o *Opener) askAgent(ctx context.Context, address string) (*status, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	answer, err := o.client.Do(request)
	if err != nil {
		return nil, classifyError(err, proxySecret(request))
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, &reach.Failure{
			Class: reach.ClassGarbage, Short: "the agent refuses",
			Cause:   fmt.Sprintf("HTTP status %d", answer.StatusCode),
			Meaning: "Something answers at this address, but not as an agent of nvgpu does.",
			Hints:   []string{"try: curl " + address},
		}
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, classifyError(err, proxySecret(request))
	case len(text) > maxAnswer:
		return nil, &reach.Failure{Class: reach.ClassTooMuch, Short: "too much data from the agent"}
	}
	s, err := parseStatus(text)
	if err != nil {
		return nil, &reach.Failure{
			Class: reach.ClassGarbage, Short: "not an answer of nvgpu's agent",
			Meaning: "The address answers with something other than the JSON of an agent.",
			Hints:   []string{"try: curl " + address},
		}
	}
	return s, nil
}
