package document

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// errSlow is the cause when a reader is killed because it took too long.
var errSlow = errors.New("too slow")

// read reads a document in an idle reader, if there is one, or in a new one.
func (r *Reader) read(ctx context.Context, req request, body []byte) (doc extract.Document, err error) {
	head, err := json.Marshal(req)
	if err != nil { // Unreachable: strings and numbers always encode.
		return extract.Document{}, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, r.timeout, errSlow)
	defer cancel()
	p := r.reuse()
	if p != nil {
		if doc, err = r.readBy(limited, p, head, body); err == nil {
			return doc, nil
		}
	}
	if p == nil || limited.Err() == nil { // in a used reader, an earlier document may have caused the failure
		if p, err = start(r.memory); err != nil {
			return extract.Document{}, err
		}
		doc, err = r.readBy(limited, p, head, body)
	}
	if ctx.Err() != nil {
		return extract.Document{}, ctx.Err()
	}
	return doc, err
}

// readBy reads a document in one reader. If nothing went wrong, the reader then waits for the next document.
func (r *Reader) readBy(ctx context.Context, p *process, head, body []byte) (extract.Document, error) {
	line, err := p.ask(ctx, head, body)
	if err != nil {
		o := outcome{long: errors.Is(err, errLong), slow: context.Cause(ctx) == errSlow, err: p.err,
			stderr: p.stderr.kept.String(), timeout: r.timeout, memory: r.memory}
		return extract.Document{}, o.reason()
	}
	var a answer
	if err := json.Unmarshal(line, &a); err != nil || a.Document == nil && a.Error == "" {
		p.end()
		return extract.Document{}, garbled()
	}
	if a.Document == nil {
		p.end()
		return extract.Document{}, fault.New(a.Kind, "%s", a.Error)
	}
	if a.Large || !p.isClean() || !r.put(p) {
		p.kill()
	}
	return *a.Document, nil
}

// reuse removes an idle process from the list and returns it, or returns nil if there is none.
func (r *Reader) reuse() *process {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.waiting) > 0 {
		p := r.waiting[len(r.waiting)-1]
		r.waiting = r.waiting[:len(r.waiting)-1]
		p.expiry.Stop()
		if !p.hasEnded() {
			return p
		}
	}
	return nil
}

// put makes a reader idle for a limited time. It returns false if the reader has read as many documents as it may.
func (r *Reader) put(p *process) bool {
	if p.served >= maxDocuments {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p.expiry = time.AfterFunc(r.idle, func() {
		if r.remove(p) {
			p.kill()
		}
	})
	r.waiting = append(r.waiting, p)
	return true
}

// remove removes a reader from the list of idle readers, and reports whether the reader was in the list.
func (r *Reader) remove(p *process) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, w := range r.waiting {
		if w == p {
			r.waiting = append(r.waiting[:i], r.waiting[i+1:]...)
			return true
		}
	}
	return false
}

// Close ends the idle readers at once. Without Close, they would end soon by themselves, or when this process ends.
func (r *Reader) Close() {
	for p := r.reuse(); p != nil; p = r.reuse() {
		p.end()
	}
}

// outcome describes the end of a reader that gave no answer.
type outcome struct {
	long, slow bool
	err        error // error of the process
	stderr     string
	timeout    time.Duration
	memory     int64
}

// reason returns why there was no answer.
func (o outcome) reason() error {
	switch {
	case o.long:
		return fault.New(fault.TooLarge, "the document gives more than %d MB of text", maxAnswer/1_000_000)
	case o.slow || strings.Contains(o.stderr, "SIGXCPU"): // the limit that a reader sets for itself, see limitTime
		return fault.New(fault.TooLarge, "the document takes longer than %s to read", o.timeout)
	case outOfMemory(o.stderr):
		return fault.New(fault.TooLarge, "the document needs more than %d MiB of memory to read", o.memory>>20)
	case o.err == nil:
		return garbled()
	}
	return fault.New(fault.Invalid, "the document crashes its reader: %s", o.lastWords())
}

func garbled() error {
	return fault.New(fault.Invalid, "the document crashes its reader: its answer is garbled")
}

// outOfMemory recognizes the messages of a Go runtime that runs out of memory.
func outOfMemory(stderr string) bool {
	return strings.Contains(stderr, "out of memory") || strings.Contains(stderr, "cannot allocate memory")
}

// lastWords returns the first line that a reader printed when it ended. If there is none, it returns the way in which
// the process ended.
func (o outcome) lastWords() string {
	line, _, _ := strings.Cut(strings.TrimSpace(o.stderr), "\n")
	if line = dom.Fold(line); line == "" {
		line = o.err.Error()
	}
	return line[:min(len(line), 200)]
}
