package ssh

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/hostkey"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/advice"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// jumps are the shared connections to jump hosts: one per jump host, for all hosts behind it.
type jumps struct {
	d    *Door
	life context.Context // of all of them
	end  context.CancelFunc
	wg   sync.WaitGroup

	mu  sync.Mutex
	all map[string]*jump
}

func newJumps(d *Door) *jumps {
	life, end := context.WithCancel(context.Background())
	return &jumps{d: d, life: life, end: end, all: map[string]*jump{}}
}

// findJump returns the jump host with a key; the key includes the hops before it.
func (js *jumps) findJump(key string, to hop, before string, path []string) *jump {
	js.mu.Lock()
	defer js.mu.Unlock()
	j := js.all[key]
	if j == nil {
		j = &jump{jumps: js, to: to, before: before, path: path, doubt: make(chan struct{}, 1),
			openings: map[string]*jumpRequest{}}
		js.all[key] = j
	}
	return j
}

// retrySoon lets each failed jump host be tried again soon.
func (js *jumps) retrySoon() {
	js.mu.Lock()
	defer js.mu.Unlock()
	for _, j := range js.all {
		j.mu.Lock()
		if soon := j.ended.Add(js.d.limits.again); soon.Before(j.again) {
			j.again = soon
		}
		j.mu.Unlock()
	}
}

func (js *jumps) closeAll() {
	js.end()
	js.wg.Wait()
}

// jump is a jump host. Its connection is made when a host needs it, closed when no host has needed it for a while, and
// made anew when it has died. While attempts fail, each host gets the failure of the last attempt, and the jump host is
// tried less and less often.
type jump struct {
	jumps  *jumps
	to     hop
	before string   // the hops before it, as in ProxyJump; empty: the configuration decides
	path   []string // keys of the hops from the target on, to detect circles
	doubt  chan struct{}

	mu       sync.Mutex // protects the following
	shell    *shell
	dialing  chan struct{}  // closed when the running attempt has ended; nil: none runs
	failure  *reach.Failure // of the last attempt or connection
	ended    time.Time      // time of the failure
	again    time.Time      // earliest time of the next attempt
	waits    *backoff.ExponentialBackOff
	openings map[string]*jumpRequest
	streams  int       // open ones
	used     time.Time // when something was last opened or closed

	known *hostkey.OtherHost // only for the login host: what it knows about host keys; nil: nothing
}

var errClosing = errors.New("nvnodetop is closing")

// getShell returns the connection, and makes it if necessary. Only an attempt that was begun with an asker asks
// questions.
func (j *jump) getShell(ctx context.Context, asker Asker) (*shell, error) {
	for {
		s, wait, err := j.shellState(asker)
		if s != nil || err != nil {
			return s, err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// shellState returns the connection, or a channel to wait for, or the reason why there is neither.
func (j *jump) shellState(asker Asker) (*shell, <-chan struct{}, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.jumps.life.Err() != nil:
		return nil, nil, errClosing
	case j.shell != nil:
		j.used = time.Now()
		return j.shell, nil, nil
	case j.dialing != nil:
	case j.failure != nil && time.Now().Before(j.again):
		return nil, nil, j.failure
	default:
		done := make(chan struct{})
		j.dialing = done
		j.jumps.wg.Go(func() {
			defer close(done)
			defer crash.End()
			j.dialHost(asker)
		})
	}
	return nil, j.dialing, nil
}

// dialHost makes one attempt.
func (j *jump) dialHost(asker Asker) {
	log := remote.NewLog(j.to.host, func(reach.Step) {})
	t := &hostLogin{d: j.jumps.d, node: j.to.host, log: log, isJump: true, to: j.to, before: j.before, path: j.path,
		asker: asker}
	s, err := func() (s *shell, err error) {
		defer reach.Recover(&err)
		if s, err = t.openShell(j.jumps.life); err == nil && j.roleInRoute() == loginHost {
			j.learnHosts(s)
		}
		return s, err
	}()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.dialing = nil
	if err != nil {
		j.noteFailure(log.Case().Settle(err, t.Explain))
		return
	}
	j.shell, j.failure, j.used = s, nil, time.Now()
	j.jumps.wg.Go(func() {
		defer crash.End()
		j.tendShell(s)
	})
}

// noteFailure records a failure, and sets the earliest time of the next attempt. j.mu is held.
func (j *jump) noteFailure(f *reach.Failure) {
	if j.waits == nil {
		j.waits = &backoff.ExponentialBackOff{InitialInterval: j.jumps.d.limits.again, RandomizationFactor: 0.2,
			Multiplier: 2, MaxInterval: 30 * time.Second}
	}
	j.waits.MaxInterval = 30 * time.Second
	if f.Class == reach.ClassAuth || f.Class == reach.ClassDenied { // failed logins may lock the user out
		j.waits.MaxInterval = 5 * time.Minute
	}
	named := *f
	named.Stage, named.Short = advice.StageTCP, j.roleInRoute()+" "+j.to.host+": "+f.Short
	j.failure, j.ended = &named, time.Now()
	j.again = j.ended.Add(j.waits.NextBackOff())
}

// roleInRoute names the role of the host in the route.
func (j *jump) roleInRoute() string {
	if login := j.jumps.d.login; login != nil && *login == j.to {
		return loginHost
	}
	return jumpHost
}

const (
	jumpHost  = "jump host"
	loginHost = "login host"
)

// tendShell watches over a connection until it ends.
func (j *jump) tendShell(s *shell) {
	began := time.Now()
	why := j.awaitEnd(s)
	j.mu.Lock()
	j.shell = nil
	clear(j.openings)
	lasted := time.Since(began) >= steady
	if lasted {
		j.waits = nil
	}
	if why != "" {
		j.noteFailure(&reach.Failure{
			Class: reach.ClassClosed, Short: "connection lost", Cause: why,
			Meaning: "Lost the connection to the " + j.roleInRoute() + "; reconnecting.",
			Hints:   []string{"check whether it responds: ssh " + j.to.host + " true"},
		})
		if lasted {
			j.again = j.ended
		}
	}
	j.mu.Unlock()
	_ = s.Close()
}

// steady is how long a connection must have lasted for the waits to start over.
const steady = time.Minute

// awaitEnd returns when the connection has ended, or when it is no longer needed; then the reason is empty.
func (j *jump) awaitEnd(s *shell) (why string) {
	limits := j.jumps.d.limits
	tick := time.NewTicker(limits.alive / 3)
	defer tick.Stop()
	heard := time.Now()
	for {
		doubted := false
		select {
		case <-j.jumps.life.Done():
			return ""
		case <-s.Client.Gone:
			return advice.ClosedByHost
		case <-j.doubt:
			doubted = true
		case <-tick.C:
		}
		if j.isIdle(s) {
			return ""
		}
		// While this host was suspended, only the wall clock ran.
		if since := time.Since(heard); !doubted && since < limits.alive &&
			time.Now().Round(0).Sub(heard.Round(0)) < since+limits.alive {
			continue
		}
		ctx, cancel := context.WithTimeout(j.jumps.life, limits.alive)
		err := s.Ping(ctx)
		cancel()
		if err != nil {
			return "no data received"
		}
		heard = time.Now()
	}
}

// isIdle reports whether no host has needed the connection for a while. From then on no host gets it. A connection for
// which the user had to answer a question is kept, and so is the connection to the login host.
func (j *jump) isIdle(s *shell) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	idle := !s.asked && j.roleInRoute() == jumpHost && j.streams == 0 && len(j.openings) == 0 &&
		time.Since(j.used) > j.jumps.d.limits.idle
	if idle {
		j.shell = nil
	}
	return idle
}
