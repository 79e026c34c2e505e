// Package document reads a document of any supported type. Heavy formats are read in a process of their own,
// so that a hostile file can kill its reader and nothing else.
//
// HTML and other plain formats are read in place by package extract, mails by package mail. PDF,
// Word, PowerPoint and Excel are read by this same executable, started again: [Main], called first
// thing in main, recognizes such a start. A reader gets the document on its standard input and
// nothing else: no settings, no secrets. It may use a minute of time and [Options.Memory], and its
// answer may have 20 MB. Two run at once, others wait.
//
// A reader takes longer to start than most documents to read, so it stays for 15 seconds and reads up to
// 100 of them. Each has PDFium's memory to itself; what else a reader is made of is Go, where one document
// cannot write into another. A reader ends with the first document that it does not read to its end, or that leaves
// it large or its folder not empty; and what fails in one that has read others is read again in a new one, within
// the same time. So no document fails for what another did.
//
// When a document stops its reader, the error is about the document, has one line, and can be shown to the
// user who registered it:
//
//	the PDF is protected by a password         Blocked
//	the PDF is broken: …                       Invalid
//	the document crashes its reader: …         Invalid
//	the document is larger than 50 MB          TooLarge
//	the document needs more than 320 MiB …     TooLarge
//	the document takes longer than 1m0s …      TooLarge
//	the document gives more than 20 MB …       TooLarge
//	the reader of documents does not start: …  Unavailable
//
// # Alternatives considered
//
// Reading in the same process cannot bound memory, and nothing but a fourfold slower mode of the
// WebAssembly runtime can stop it. A reader for each document costs five times as much for a small PDF.
package document

import (
	"context"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/memory"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/mail"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
)

// Bounds on heavy documents, in bytes and in time.
const (
	maxTime   = time.Minute
	maxBody   = 50 << 20
	maxAnswer = 20_000_000
)

// Bounds on one reader: documents, and the time for which it waits for the next.
const (
	maxDocuments = 100
	maxIdle      = 15 * time.Second
)

// Options say how documents are read. The zero value works.
type Options struct {
	// CacheDir keeps the compiled PDF reader, 20 MB; see [pdf.Open]. Without it a
	// folder of this user below the one for temporary files is taken, if nobody else can write to it.
	CacheDir string
	Parallel int // heavy documents read at once; 2
	// Memory is the most that one reader may use, in bytes, beyond what the Go runtime has reserved
	// when it starts; that of [memory.DefaultMost] when zero.
	Memory  int64
	Timeout time.Duration // for one heavy document, waiting for others not counted; 1 minute, also the most
}

// Reader reads documents. It may be used by many at once.
type Reader struct {
	cache   string
	memory  int64
	timeout time.Duration
	idle    time.Duration
	slots   chan struct{}

	mu      sync.Mutex
	waiting []*process // the one that read last comes last
}

// New makes a reader. It starts nothing.
func New(o Options) *Reader {
	if o.Parallel <= 0 {
		o.Parallel = 2
	}
	if o.Memory <= 0 {
		o.Memory = memory.DefaultMost.Reader()
	}
	if o.Timeout <= 0 || o.Timeout > maxTime {
		o.Timeout = maxTime
	}
	return &Reader{cache: o.CacheDir, memory: o.Memory, timeout: o.Timeout, idle: maxIdle,
		slots: make(chan struct{}, o.Parallel)}
}

// Extract reads a document as [web.Extract] does, and heavy formats too. Their type is that of
// the body (see [mediaType]); of lim, MaxBytes bounds their text instead of their body. The error
// is that of web.Extract, one of those above, or that of ctx.
func (r *Reader) Extract(ctx context.Context, body []byte, contentType, baseURL string,
	lim extract.Limits) (extract.Document, error) {
	mimeType, err := mediaType(contentType, body, baseURL)
	if err != nil {
		return extract.Document{}, err
	}
	if readers[mimeType] == nil {
		return light(body, mimeType, contentType, baseURL, lim)
	}
	if len(body) > maxBody {
		return extract.Document{}, fault.New(fault.TooLarge, "the document is larger than %d MB", maxBody>>20)
	}
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return extract.Document{}, ctx.Err()
	}
	return r.read(ctx, request{Type: mimeType, Size: len(body), BaseURL: baseURL, CacheDir: cacheDir(r.cache),
		Limits: lim}, body)
}

// light reads a document in this process. The recover keeps a panic on one document from ending
// the work on others.
func light(body []byte, mimeType, contentType, baseURL string, lim extract.Limits) (doc extract.Document, err error) {
	defer func() {
		if p := recover(); p != nil {
			doc, err = extract.Document{}, fault.New(fault.Invalid, "the document crashes its reader: %.200v", p)
		}
	}()
	if mimeType == mail.MediaType {
		return mail.Extract(body, baseURL, lim)
	}
	if mimeType != web.DeclaredType(contentType) {
		contentType = mimeType // else it may have parameters
	}
	return web.Extract(body, contentType, baseURL, lim)
}
