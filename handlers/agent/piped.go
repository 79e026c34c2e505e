package agent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine limits the length of a message that is piped, in bytes.
const maxLine = 8 << 20

// Piped returns a transport over standard input and output: one message in a line, as the protocol
// says. It also takes messages over several lines, byte order marks and batches. What is not a
// message is answered with an error, and reading goes on. The transport of the SDK ends at the
// first such line.
func Piped(in io.Reader, out io.Writer) mcp.Transport {
	return &pipe{in: bufio.NewReader(in), out: out, messages: make(chan jsonrpc.Message), closed: make(chan struct{}),
		batches: map[jsonrpc.ID]*batch{}, open: 1, done: make(chan struct{})}
}

type pipe struct {
	in       *bufio.Reader
	messages chan jsonrpc.Message // closed after the last one
	closed   chan struct{}
	once     sync.Once

	mu      sync.Mutex // guards the following
	out     io.Writer
	batches map[jsonrpc.ID]*batch // by the ids of requests without an answer
	open    int                   // requests without an answer, and one until the input ends
	done    chan struct{}         // closed when there are none
}

// lastAnswers is how long the answers to the last requests are waited for after the end of the input.
const lastAnswers = time.Minute

// batch is a list of messages that is answered by a list.
type batch struct {
	open    int // requests without an answer, and one while the batch is being read
	answers []json.RawMessage
}

// Connect implements [mcp.Transport].
func (p *pipe) Connect(context.Context) (mcp.Connection, error) {
	go p.run()
	return p, nil
}

// SessionID implements [mcp.Connection].
func (p *pipe) SessionID() string { return "" }

// Close implements [mcp.Connection].
func (p *pipe) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// Read implements [mcp.Connection]. At the end of the input, it waits for the answers to the last
// requests, because the server drops what is unanswered when it returns io.EOF.
func (p *pipe) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, ok := <-p.messages:
		if ok {
			return m, nil
		}
	case <-p.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case <-p.done:
	case <-p.closed:
	case <-ctx.Done():
	case <-time.After(lastAnswers):
	}
	return nil, io.EOF
}

// Write implements [mcp.Connection].
func (p *pipe) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	r, ok := m.(*jsonrpc.Response)
	if ok {
		defer p.ended()
	}
	if ok && p.batches[r.ID] != nil {
		b := p.batches[r.ID]
		delete(p.batches, r.ID)
		b.answers = append(b.answers, text)
		return p.reply(b)
	}
	return p.send(text)
}

// reply counts an answer of a batch, and sends all of them after the last. The caller holds the lock.
func (p *pipe) reply(b *batch) error {
	if b.open--; b.open > 0 || len(b.answers) == 0 {
		return nil
	}
	text, err := json.Marshal(b.answers)
	if err != nil {
		return err
	}
	return p.send(text)
}

// ended counts an answer, or the end of the input. The caller holds the lock.
func (p *pipe) ended() {
	if p.open--; p.open == 0 {
		close(p.done)
	}
}

// send writes a line. The caller holds the lock.
func (p *pipe) send(text []byte) error {
	_, err := p.out.Write(append(text, '\n'))
	return err
}

// run reads until the end of the input. A failure to answer shows in the next answer of the server.
func (p *pipe) run() {
	defer func() {
		close(p.messages)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.ended()
	}()
	var begun []byte // of a message over several lines
	for {
		line, err := readLine(p.in)
		switch {
		case errors.Is(err, errLong) || len(begun)+len(line) > maxLine:
			begun = nil
			p.refuse(wrong(jsonrpc.CodeParseError, "a message has more than %d bytes", maxLine))
		default:
			begun = p.accept(begun, line)
		}
		if err != nil && !errors.Is(err, errLong) {
			if len(begun) > 0 {
				p.refuse(wrong(jsonrpc.CodeParseError, "the input ends within a message"))
			}
			return
		}
	}
}

// accept reads the messages in a line, and in the lines that have begun a message before. It
// returns what is incomplete.
func (p *pipe) accept(begun, line []byte) (rest []byte) {
	line = bytes.TrimPrefix(line, bom)
	if bytes.HasPrefix(begun, []byte("{")) && isMessage(line) {
		p.refuse(wrong(jsonrpc.CodeParseError, "a line that is cut off"))
		begun = nil
	}
	text := append(begun, line...)
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var one json.RawMessage
		at := d.InputOffset()
		switch err := d.Decode(&one); {
		case err == nil:
			p.deliver(one)
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return bytes.TrimLeft(text[at:], " \t\r\n")
		default:
			p.refuse(wrong(jsonrpc.CodeParseError, "%v", err))
			if len(begun) == 0 || at > 0 { // then a message of this text was delivered
				return nil
			}
			if begun[0] == '[' { // a stray bracket takes no message with it
				p.accept(nil, begun[1:])
			}
			return p.accept(nil, line)
		}
	}
}

// isMessage reports whether a line is a message of its own.
func isMessage(line []byte) bool {
	_, err := jsonrpc.DecodeMessage(line)
	return err == nil
}

// deliver passes on a message, or the messages of a batch.
func (p *pipe) deliver(text json.RawMessage) {
	messages, together, err := split(text)
	if err != nil {
		p.refuse(err)
		return
	}
	var b *batch
	if together {
		b = &batch{open: 1}
	}
	// All ids are noted before a message is passed on, because the first may be answered before the last is read.
	var admitted []jsonrpc.Message
	for _, text := range messages {
		m, err := p.admit(b, text)
		if err != nil {
			p.answer(b, refusal(text, err))
			continue
		}
		admitted = append(admitted, m)
	}
	for _, m := range admitted {
		p.pass(m)
	}
	if together {
		p.mu.Lock()
		defer p.mu.Unlock()
		_ = p.reply(b)
	}
}

// admit reads a message, and notes that a request waits for its answer. The batch b may be nil.
func (p *pipe) admit(b *batch, text json.RawMessage) (jsonrpc.Message, error) {
	m, err := read(text)
	if err == nil && calls(m) {
		err = p.expect(b, m.(*jsonrpc.Request).ID)
	}
	return m, err
}

// pass passes on a message.
func (p *pipe) pass(m jsonrpc.Message) {
	select {
	case p.messages <- m:
	case <-p.closed:
	}
}

// expect notes that a request of a batch waits for its answer.
func (p *pipe) expect(b *batch, id jsonrpc.ID) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.batches[id] != nil {
		return wrong(jsonrpc.CodeInvalidRequest, "a request with the id %v has no answer yet", id.Raw())
	}
	p.open++
	if b != nil {
		b.open++
		p.batches[id] = b
	}
	return nil
}

func (p *pipe) refuse(err error) { p.answer(nil, refusal(nil, err)) }

// answer sends an answer, or adds it to those of a batch.
func (p *pipe) answer(b *batch, text json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b != nil {
		b.answers = append(b.answers, text)
		return
	}
	_ = p.send(text)
}

var errLong = errors.New("the line is too long")

// readLine reads a line. Of a line that is too long, it reads the end and returns errLong.
func readLine(r *bufio.Reader) (line []byte, err error) {
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); len(line) > maxLine {
			line, long = line[:0], true
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long && err == nil:
			return nil, errLong
		default:
			return line, err
		}
	}
}

// maxBatch limits the number of messages that are sent together (JSON-RPC 2.0 §6).
const maxBatch = 10

// bom is the byte order mark, with which the texts of some programs begin.
var bom = []byte("\ufeff")

// split returns the messages of a valid JSON text: one, or those of a batch. The error is the answer to the whole text.
func split(text []byte) (messages []json.RawMessage, batch bool, err error) {
	text = bytes.TrimSpace(text)
	if !bytes.HasPrefix(text, []byte("[")) {
		return []json.RawMessage{text}, false, nil
	}
	if err := json.Unmarshal(text, &messages); err != nil {
		return nil, true, wrong(jsonrpc.CodeParseError, "%v", err)
	}
	if len(messages) == 0 || len(messages) > maxBatch {
		return nil, true, wrong(jsonrpc.CodeInvalidRequest, "%d messages in one batch; 1 to %d are allowed", len(messages),
			maxBatch)
	}
	return messages, true, nil
}

// read decodes a message. The error is the answer to it.
func read(message json.RawMessage) (jsonrpc.Message, error) {
	m, err := jsonrpc.DecodeMessage(message)
	if err != nil {
		return nil, wrong(jsonrpc.CodeInvalidRequest, "%v", err)
	}
	return m, nil
}

// calls reports whether the sender of a message waits for an answer.
func calls(m jsonrpc.Message) bool {
	r, ok := m.(*jsonrpc.Request)
	return ok && r.IsCall()
}

func wrong(code int64, format string, args ...any) error {
	return &jsonrpc.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// refusal returns the answer to a message that has an error. The answer has the id of the message, if it has one.
func refusal(message json.RawMessage, err error) json.RawMessage {
	var m struct {
		ID any `json:"id"`
	}
	_ = json.Unmarshal(message, &m) // without an id, the answer has the id null
	switch m.ID.(type) {
	case string, float64:
	default:
		m.ID = nil
	}
	answer, _ := json.Marshal(struct { // Unreachable: all of it can be encoded
		Version string `json:"jsonrpc"`
		ID      any    `json:"id"`
		Error   error  `json:"error"`
	}{"2.0", m.ID, err})
	return answer
}
