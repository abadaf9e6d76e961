package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

const (
	maxStreams = 256
	keepAlive  = 15 * time.Second // a comment is sent if nothing has happened in a stream for this long
	writeTime  = 10 * time.Second // for a client that does not read
)

// serveEvents answers with a stream of Server-Sent Events. Each event announces a new state, which the client may then
// request. The page keeps a stream open while it is visible, so a stream is the sign of a person.
func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request) {
	defer s.streams.Add(-1)
	if s.streams.Add(1) > maxStreams {
		w.Header().Set("Retry-After", "30")
		failRequest(w, http.StatusServiceUnavailable, "too many streams")
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // a proxy must not hold events back
	if r.Method == http.MethodHead {
		return
	}
	s.Audience.Asked()
	s.Audience.Touch()
	s.watched.Ring()
	stream := &stream{w: w, control: http.NewResponseController(w)}
	_ = stream.control.SetReadDeadline(time.Time{}) // otherwise the deadline of the request would end the stream
	stream.sendEvents(s, r)
}

// stream is the stream of one client.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// sendEvents sends events until the client or the server ends. If several states come while the client does not read,
// they are one event.
func (t *stream) sendEvents(s *Server, r *http.Request) {
	idle := time.NewTicker(keepAlive)
	defer idle.Stop()
	st := s.states.newestState()
	if !t.announceState(st) {
		return
	}
	for {
		var listens bool
		select {
		case <-st.over:
			st = s.states.newestState()
			listens = t.announceState(st)
			idle.Reset(keepAlive)
		case <-idle.C:
			listens = t.sendText(":\n\n")
		case <-s.ending.Done():
			t.sendText("event: end\ndata: {}\n\n")
		case <-r.Context().Done():
		}
		if !listens {
			return
		}
	}
}

// announceState announces a new state.
func (t *stream) announceState(st *state) bool {
	at, _ := json.Marshal(st.snap.At)
	return t.sendText(fmt.Sprintf("event: snapshot\nid: %d\ndata: {\"revision\":%d,\"time\":%s}\n\n", st.number, st.number,
		at))
}

// sendText sends text at once, and reports whether the client accepts it.
func (t *stream) sendText(text string) bool {
	_ = t.control.SetWriteDeadline(time.Now().Add(writeTime))
	_, err := t.w.Write([]byte(text))
	return err == nil && t.control.Flush() == nil
}
