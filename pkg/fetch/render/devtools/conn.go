// Package devtools speaks the protocol by which a Chromium is driven, with one that it starts or one that runs
// elsewhere.
package devtools

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

// Wire carries messages of the DevTools protocol. Receive and Send may be called at the same time, each by one caller.
type Wire interface {
	Send(message []byte) error
	Receive() ([]byte, error)
	Close() error
}

// errOversize is returned by a wire for a message above maxMessage. The wire can be used on.
var errOversize = errors.New("the browser's message is too large")

// maxMessage bounds a message of the browser. The largest is the tree of a page.
const maxMessage = 128 << 20

// Message is a call, an answer or an event of the DevTools protocol.
type Message struct {
	ID      int64           `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *CallError      `json:"error,omitempty"`
}

// Codes of errors (JSON-RPC, and Chromium's for a session that is not there).
const (
	UnknownMethod  = -32601
	UnknownSession = -32001
)

// CallError is the browser's refusal of a call.
type CallError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *CallError) Error() string {
	return fmt.Sprintf("the browser says: %.300s (%d)", e.Message, e.Code)
}

// Conn is a connection to a browser. Events are given to onEvent, in their order, by the one goroutine that reads;
// onEvent must not wait for an answer.
type Conn struct {
	wire    Wire
	onEvent func(m Message)
	sending sync.Mutex
	last    atomic.Int64

	mu      sync.Mutex
	waiting map[int64]waiter
	done    chan struct{} // closed when the connection has ended
	err     error         // why it has ended
}

// New returns a connection that speaks by a wire.
func New(w Wire, onEvent func(Message)) *Conn {
	d := &Conn{wire: w, onEvent: onEvent, waiting: map[int64]waiter{}, done: make(chan struct{})}
	go d.read()
	return d
}

// read reads messages until the connection ends.
func (d *Conn) read() {
	for {
		raw, err := d.wire.Receive()
		if errors.Is(err, errOversize) {
			continue // the caller that waits for it has a deadline
		}
		if err != nil {
			d.end(err)
			return
		}
		var m Message
		if json.Unmarshal(raw, &m) != nil {
			continue
		}
		if m.ID == 0 {
			d.onEvent(m)
			continue
		}
		d.mu.Lock()
		answer := d.waiting[m.ID]
		delete(d.waiting, m.ID)
		d.mu.Unlock()
		if answer.c != nil {
			answer.c <- m
		}
	}
}

// waiter is where the answer to a call is waited for.
type waiter struct {
	session string
	c       chan Message
}

// Abandon answers the calls of a session that has ended, which the browser does not answer.
func (d *Conn) Abandon(session string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, w := range d.waiting {
		if w.session == session {
			delete(d.waiting, id)
			w.c <- Message{Error: &CallError{Code: UnknownSession, Message: "the target has ended"}}
		}
	}
}

func (d *Conn) end(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil {
		d.err = err
		close(d.done)
	}
}

// Close ends the connection.
func (d *Conn) Close() error {
	d.end(errors.New("closed"))
	return d.wire.Close()
}

// Pending is a call whose answer has not come yet.
type Pending struct {
	d      *Conn
	id     int64
	method string
	answer chan Message
	err    error
}

// Start sends a call. Calls of one session are done in their order.
func (d *Conn) Start(session, method string, params any) *Pending {
	p := &Pending{d: d, id: d.last.Add(1), method: method, answer: make(chan Message, 1)}
	d.mu.Lock()
	d.waiting[p.id] = waiter{session, p.answer}
	d.mu.Unlock()
	p.err = d.post(Message{ID: p.id, Session: session, Method: method}, params)
	return p
}

func (d *Conn) post(m Message, params any) (err error) {
	if params != nil {
		if m.Params, err = json.Marshal(params); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	d.sending.Lock()
	defer d.sending.Unlock()
	if err := d.wire.Send(raw); err != nil {
		return &LostError{fmt.Errorf("writing to the browser: %w", err)}
	}
	return nil
}

// Wait waits for the answer and decodes it into out, unless that is nil. Errors: [*CallError]; [*LostError] if the
// connection has ended; that of ctx.
func (p *Pending) Wait(ctx context.Context, out any) error {
	err := p.err
	if err == nil {
		select {
		case m := <-p.answer:
			return p.decode(m, out)
		case <-p.d.done:
			err = &LostError{p.d.err}
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	p.d.mu.Lock()
	delete(p.d.waiting, p.id)
	p.d.mu.Unlock()
	return fmt.Errorf("%s: %w", p.method, err)
}

func (p *Pending) decode(m Message, out any) error {
	switch {
	case m.Error != nil:
		return fmt.Errorf("%s: %w", p.method, m.Error)
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(m.Result, out); err != nil {
		return fmt.Errorf("%s: %w", p.method, err)
	}
	return nil
}

// Call sends a call and waits for its answer.
func (d *Conn) Call(ctx context.Context, session, method string, params, out any) error {
	return d.Start(session, method, params).Wait(ctx, out)
}

// Send sends a call whose answer nobody needs.
func (d *Conn) Send(session, method string, params any) {
	_ = d.post(Message{ID: d.last.Add(1), Session: session, Method: method}, params)
}

// LostError means that the connection to the browser has ended.
type LostError struct{ err error }

func (e *LostError) Error() string {
	return fmt.Sprintf("the connection to the browser has ended: %v", e.err)
}

func (e *LostError) Unwrap() error { return e.err }

// IsOpen reports whether the connection has not ended.
func (d *Conn) IsOpen() bool {
	select {
	case <-d.done:
		return false
	default:
		return true
	}
}

// Done is closed when the connection has ended.
func (d *Conn) Done() <-chan struct{} { return d.done }

// Err returns why the connection has ended, after Done.
func (d *Conn) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &LostError{d.err}
}

// pipe speaks with a browser that was started with --remote-debugging-pipe: messages end with a NUL byte.
type pipe struct {
	in  *bufio.Reader
	r   *os.File
	w   *os.File
	max int
}

func newPipe(r, w *os.File) *pipe {
	return &pipe{in: bufio.NewReaderSize(r, 1<<20), r: r, w: w, max: maxMessage}
}

// Send implements Wire.
func (p *pipe) Send(message []byte) error {
	_, err := p.w.Write(append(message, 0))
	return err
}

// Receive implements Wire.
func (p *pipe) Receive() ([]byte, error) {
	var out bytes.Buffer
	tooLarge := false
	for {
		part, err := p.in.ReadSlice(0)
		if !tooLarge {
			out.Write(part)
		}
		if tooLarge = tooLarge || out.Len() > p.max; tooLarge {
			out = bytes.Buffer{}
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == io.EOF:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case tooLarge:
			return nil, errOversize
		default:
			return bytes.TrimSuffix(out.Bytes(), []byte{0}), nil
		}
	}
}

// Close implements Wire. A browser ends when its pipe is closed.
func (p *pipe) Close() error { return errors.Join(p.w.Close(), p.r.Close()) }
