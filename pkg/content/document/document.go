// Package document reads a document of any supported type. Heavy formats are read in a process of their own, so that
// a hostile file can crash its reader and nothing else.
//
// HTML and other plain formats are read in this process by package extract, and mails by package mail. For PDF, the
// Office formats, OpenDocument, EPUB and RTF, the package starts this same executable again: [Main], called first in
// main, recognizes such a start. The new process is called a reader. It gets only the document, on its standard input;
// it gets no settings and no secrets. It may use a minute of time and [Options.Memory], and may answer with at most
// 20 MB. Two readers run at once; other documents wait.
//
// A reader takes longer to start than most documents take to read. Therefore it waits up to 15 seconds for another
// document, and reads up to 100 documents. Each document has PDFium's memory to itself. The rest of a reader is Go,
// where one document cannot write into the memory of another. A reader ends after a document that it does not read to
// the end, and after one that leaves files in its folder or much of its memory in use. If a document fails in a
// reader that has read other documents, it is read again in a new reader, within the same time limit. So no document
// fails because of another.
//
// When a document stops its reader, the error describes the document in one line, and can be shown to the user who
// registered it:
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
// Memory cannot be bounded if documents are read in the same process. Only a mode of the WebAssembly runtime that is
// four times slower can be interrupted. A new reader for each document costs five times as much for a small PDF.
package document

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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

// Bounds on one reader: the number of documents, and the time for which it waits for the next.
const (
	maxDocuments = 100
	maxIdle      = 15 * time.Second
)

// Options configure how documents are read. The zero value works.
type Options struct {
	// CacheDir is the folder for the compiled PDF reader, which has 20 MB; see [pdf.Open]. The default is a folder of
	// this user below the folder for temporary files, provided that no other user can write to it.
	CacheDir string
	Parallel int // number of heavy documents that are read at once; default 2
	// Memory limits the memory of one reader, in bytes, beyond the memory that the Go runtime reserves at its start.
	// The default is that of [memory.DefaultMost].
	Memory  int64
	Timeout time.Duration // for one heavy document, without its wait for others; default and maximum 1 minute
}

// Reader reads documents. It is safe for concurrent use.
type Reader struct {
	cache   string
	memory  int64
	timeout time.Duration
	idle    time.Duration
	slots   chan struct{}

	mu      sync.Mutex
	waiting []*process // the most recently used one is last
}

// New returns a reader. It starts no process.
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

// Extract reads a document as [web.Extract] does, and also reads heavy formats. It recognizes heavy formats by the
// body (see [mediaType]). For these formats, lim.MaxBytes limits the text instead of the body. The error is that of
// web.Extract, one of those in the package comment, or that of ctx.
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

// light reads a document in this process. It recovers from a panic, so that the other documents can still be read.
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
		contentType = mimeType // otherwise the header is kept, with its parameters
	}
	return web.Extract(body, contentType, baseURL, lim)
}

// cacheDir returns the folder for the compiled PDF reader: the configured folder, or else a folder of this user below
// the folder for temporary files. The compiled reader is code. So cacheDir never returns a folder that another user
// made or can write to. Without a folder, every PDF has to wait for the compiler.
func cacheDir(configured string) string {
	if configured != "" {
		return configured
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprint("tidemark-pdf-", os.Getuid()))
	if !private(dir) {
		return ""
	}
	return dir
}
