package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
)

// A Post delivers Messages: to a command of the user, to a webhook, and by mail. A caller adds ways of its own, such as
// its terminal.
//
// A Post has a goroutine for each way, which delivers one Message after the other. Send never waits. A slow or broken
// way delays neither the caller nor another way. Everything has a time limit. What a program or a server answers is
// limited and made safe to display. No child gets the environment of this program, which may contain secrets. No error
// contains a part of a webhook's URL, which is a secret: a safe.Secret quotes the words of others.

// Way delivers Messages.
type Way struct {
	Name string
	Send func(ctx context.Context, m *MessageDocument) error
	Most time.Duration // the longest time that Send takes; 0: it waits for nobody
}

// MessageDocument is a Message as programs get it. Unknown values are absent.
type MessageDocument struct {
	At    time.Time `json:"at"`
	Title string    `json:"title"` // one line
	Text  string    `json:"text"`  // the title, followed by more lines if there is more to say
	Host  string    `json:"host"`  // of nvnodetop
	User  string    `json:"user"`
	Count int       `json:"count"` // number of news, of which the newest 100 are listed
	News  []News    `json:"news"`
}

// News is one piece of news.
type News struct {
	At       time.Time `json:"at"`
	Event    string    `json:"event"`
	Over     bool      `json:"over"` // the problem has ended
	Kind     string    `json:"kind,omitempty"`
	Severity string    `json:"severity"`
	Job      string    `json:"job,omitempty"`
	Name     string    `json:"job_name,omitempty"`
	Node     string    `json:"node,omitempty"`
	GPU      *int      `json:"gpu,omitempty"`
	Since    time.Time `json:"since,omitzero"`
	State    string    `json:"job_state,omitempty"` // of a job that has ended: SLURM's word
	Code     *int      `json:"exit_code,omitempty"` // likewise
	Signal   int       `json:"signal,omitempty"`    // likewise
	Title    string    `json:"title"`
	Text     string    `json:"text,omitempty"`
}

// NewsOf is a piece of news as programs get it.
func NewsOf(i *Item) News {
	n := News{At: i.At.UTC(), Event: string(i.Event), Over: i.Over, Kind: string(i.Kind), Severity: i.Severity.String(),
		Job: i.Job, Name: i.Name, Node: i.Node, Since: i.Since.UTC(), State: string(i.State), Title: i.Title,
		Text: i.Text}
	if i.GPU != cluster.NoNumber {
		n.GPU = &i.GPU
	}
	if i.Exit != nil {
		n.Code, n.Signal = &i.Exit.Code, i.Exit.Signal
	}
	return n
}

// Sender is who sends Messages.
type Sender struct{ Host, User string }

// Document is a Message as programs get it.
func (s Sender) Document(m *Message) *MessageDocument {
	d := &MessageDocument{At: m.At.UTC(), Title: m.Title, Text: m.Title, Host: s.Host, User: s.User, Count: m.Count,
		News: []News{}}
	if m.Text != "" {
		d.Text += "\n" + m.Text
	}
	for i := range m.Items {
		d.News = append(d.News, NewsOf(&m.Items[i]))
	}
	return d
}

func (d *MessageDocument) encodeJSON() []byte {
	text, err := json.Marshal(d)
	if err != nil { // its types cannot fail
		panic(err)
	}
	return append(text, '\n')
}

// waitingMessages is how many Messages a way keeps if it cannot keep up. Beyond that, the oldest are dropped.
const waitingMessages = 16

// Post delivers Messages over several ways.
type Post struct {
	say    func(string)
	boxes  []*outbox
	ctx    context.Context
	cancel context.CancelFunc
	group  sync.WaitGroup
}

// outbox has the Messages of one way.
type outbox struct {
	Way
	in   chan *MessageDocument
	last string // the last error, which is reported once
}

// OpenWays begins to deliver. say is called with one line for each new failure, from any goroutine.
func OpenWays(ways []Way, say func(string)) *Post {
	p := &Post{say: say}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	for _, w := range ways {
		b := &outbox{Way: w, in: make(chan *MessageDocument, waitingMessages)}
		p.boxes = append(p.boxes, b)
		p.group.Go(func() {
			defer crash.End()
			p.deliverBox(b)
		})
	}
	return p
}

func (p *Post) deliverBox(b *outbox) {
	for d := range b.in {
		if p.ctx.Err() != nil {
			return
		}
		switch err := b.Send(p.ctx, d); {
		case err == nil:
			b.last = ""
		case p.ctx.Err() == nil && err.Error() != b.last:
			b.last = err.Error()
			p.say(fmt.Sprintf("a message was not delivered by %s: %v", b.Name, err))
		}
	}
}

// Send hands over a Message. Send and Close are called by one goroutine.
func (p *Post) Send(d *MessageDocument) {
	for _, b := range p.boxes {
		for sent := false; !sent; {
			select {
			case b.in <- d:
				sent = true
			default:
				select {
				case <-b.in:
				default:
				}
			}
		}
	}
}

// Close delivers what is waiting, within a time limit, and reports whether that was enough.
func (p *Post) Close(within time.Duration) bool {
	done := make(chan struct{})
	for _, b := range p.boxes {
		close(b.in)
	}
	go func() {
		defer crash.End()
		p.group.Wait()
		close(done)
	}()
	defer p.cancel()
	select {
	case <-done:
		return true
	case <-time.After(within):
	}
	p.cancel()
	select { // a child that is killed leaves nothing behind
	case <-done:
	case <-time.After(lingering):
	}
	return false
}
