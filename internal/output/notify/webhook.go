package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/nvnodetop/nvnodetop/internal/lib/private"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
)

const (
	maxURL     = 4 << 10 // of the file
	maxAnswer  = 4 << 10 // bytes that are read of an answer
	maxContent = 1900    // bytes: Discord refuses more than 2,000 characters
)

// retryPolicy is how often and how long a webhook is tried.
type retryPolicy struct {
	first, most time.Duration // between two tries
	try, all    time.Duration // for one, and for all
	tries       uint
}

var usualOutbox = retryPolicy{first: time.Second, most: 30 * time.Second, try: 15 * time.Second, all: 2 * time.Minute,
	tries: 5}

// NewWebhookWay posts each Message to the URL in a file of the user's own.
func NewWebhookWay(file string) (Way, error) {
	to, err := readURL(file)
	if err != nil {
		return Way{}, err
	}
	return webhookWay(to, http.ProxyFromEnvironment, usualOutbox), nil
}

// proxies returns the proxy that a request goes through; nil: there is none.
type proxies func(*http.Request) (*url.URL, error)

func webhookWay(to *url.URL, by proxies, p retryPolicy) Way {
	transport := &http.Transport{Proxy: by, DisableKeepAlives: true, TLSHandshakeTimeout: p.try,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, MaxResponseHeaderBytes: 64 << 10}
	client := &http.Client{Transport: transport, Timeout: p.try, CheckRedirect: checkRedirect}
	secret := secretOf(to, by)
	return Way{"webhook", func(ctx context.Context, d *MessageDocument) error {
		ctx, cancel := context.WithTimeoutCause(ctx, p.all, errTooLong)
		defer cancel()
		body, last := webhookBody(d), errNoAnswer
		waits := &backoff.ExponentialBackOff{InitialInterval: p.first, RandomizationFactor: 0.2, Multiplier: 2,
			MaxInterval: p.most}
		_, err := backoff.Retry(ctx, func() (none struct{}, err error) {
			if err = postBody(ctx, client, &request{to, secret, body}, p.most); err != nil && ctx.Err() == nil {
				last = err
			}
			return none, err
		},
			backoff.WithBackOff(waits), backoff.WithMaxTries(p.tries), backoff.WithMaxElapsedTime(p.all))
		if final, ok := errors.AsType[*backoff.PermanentError](err); ok {
			err = final.Unwrap()
		}
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil: // what the server last said helps more than the fact that nobody waits any longer
			err = last
		}
		return fmt.Errorf("%s: %w", to.Host, err)
	}, p.all}
}

var errNoAnswer = errors.New("no answer so far")

// Redirects that are refused, because they would take a secret to another host or lose the message.
var (
	errAway = errors.New("it redirects to another host, which is refused")
	errLost = errors.New("it redirects, and the message would be lost")
)

// checkRedirect allows a redirect to the same host if it keeps the message.
func checkRedirect(r *http.Request, via []*http.Request) error {
	const most = 3
	first := via[0]
	if r.URL.Scheme != first.URL.Scheme || r.URL.Host != first.URL.Host {
		return errAway
	}
	if len(via) > most || r.Method != first.Method {
		return errLost
	}
	return nil
}

// request is a body to post. The server, and a proxy in between, may repeat the secret in their words.
type request struct {
	to     *url.URL
	secret *safe.Secret
	body   []byte
}

// secretOf returns the secret in a URL, and in the URL of the proxy used to reach it.
func secretOf(to *url.URL, by proxies) *safe.Secret {
	proxy, _ := by(&http.Request{URL: to}) // the first try has the same error
	return safe.SecretOfURLs(to, proxy)
}

// postBody sends a body once. Its error contains nothing of the secret.
func postBody(ctx context.Context, client *http.Client, what *request, most time.Duration) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, what.to.String(), bytes.NewReader(what.body))
	if err != nil {
		return backoff.Permanent(errBadURL)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "nvnodetop")
	answer, err := client.Do(r)
	if err != nil {
		if outer, ok := errors.AsType[*url.Error](err); ok {
			err = outer.Err
		}
		return requestError(err, what.secret)
	}
	defer answer.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(answer.Body, maxAnswer)) // the status counts
	return answerError(answer, what.secret.Line(string(said), maxLine), most)
}

// requestError returns the error of a request without a valid answer. The error of net/http may quote the answer.
func requestError(err error, secret *safe.Secret) error {
	if errors.Is(err, errAway) || errors.Is(err, errLost) {
		return backoff.Permanent(err)
	}
	quoted := errors.New(secret.Line(err.Error(), maxLine))
	if _, untrusted := errors.AsType[*tls.CertificateVerificationError](err); untrusted {
		return backoff.Permanent(quoted)
	}
	return quoted
}

// answerError returns the error of an answer. If the server may accept the request later, it is tried again.
func answerError(answer *http.Response, line string, most time.Duration) error {
	status := answer.StatusCode
	if status >= 200 && status < 300 {
		return nil
	}
	err := fmt.Errorf("it answers %d %s", status, http.StatusText(status))
	if line != "" {
		err = fmt.Errorf("%w: %s", err, line)
	}
	switch {
	case status == http.StatusTooManyRequests:
		if wait, wrong := strconv.ParseFloat(answer.Header.Get("Retry-After"), 64); wrong == nil && wait > 0 {
			return fmt.Errorf("%w (%w)", err, backoff.RetryAfter(int(min(wait+1, most.Seconds()))))
		}
		return err
	case status >= 500, status == http.StatusRequestTimeout:
		return err
	}
	return backoff.Permanent(err)
}

// webhookBody returns the body: the Document, with the names that Slack and others ("text"), and Discord ("content")
// expect. Names of jobs and words of other hosts cannot mention anybody.
func webhookBody(d *MessageDocument) []byte {
	words := safe.Lines(d.Text, maxContent)
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;") // as Slack wants it
	type mentions struct {
		Parse []string `json:"parse"`
	}
	body, err := json.Marshal(struct {
		*MessageDocument
		Text     string   `json:"text"`
		Content  string   `json:"content"`
		Mentions mentions `json:"allowed_mentions"`
	}{d, escape.Replace(words), words, mentions{[]string{}}})
	if err != nil { // its types cannot fail
		panic(err)
	}
	return body
}

var errBadURL = errors.New("it has no URL that begins with https://, or with http:// for this host itself")

// readURL reads the URL of a webhook. Whoever knows the URL can send messages, so the file must belong to the user.
func readURL(file string) (*url.URL, error) {
	if rest, home := strings.CutPrefix(file, "~/"); home {
		dir, err := os.UserHomeDir()
		if err != nil {
			return nil, err
		}
		file = filepath.Join(dir, rest)
	}
	words, err := private.Read(file, maxURL)
	if err != nil {
		return nil, err
	}
	to, err := url.Parse(strings.TrimSpace(string(words)))
	if err != nil || to.Host == "" || to.Scheme != "https" && (to.Scheme != "http" || !isLocal(to.Hostname())) {
		return nil, fmt.Errorf("%q: %w", file, errBadURL) // an error of Parse contains the URL
	}
	return to, nil
}

// isLocal reports whether a name is that of this host itself.
func isLocal(name string) bool {
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}
