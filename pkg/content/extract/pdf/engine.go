package pdf

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// maxMemory bounds the memory of PDFium, in pages of 64 KiB: 512 MiB.
const maxMemory = 8192

// Engine is PDFium, compiled and ready to read one document after another. Each document is read in an instance of
// its own, whose memory no other document has used.
type Engine struct {
	pool  pdfium.Pool
	cache wazero.CompilationCache
	temp  string // cache for this run only, or empty
}

// Open starts PDFium. cacheDir holds the compiled module, 20 MB: a start takes 60 ms with it, and 2 s without. It is
// filled on first use. The code in it is run unchecked, so no other user may be able to write there. A cache that
// cannot be read or written is replaced by one for this run: a slow start is better than a failure. Errors: Internal.
func Open(cacheDir string) (*Engine, error) {
	if cacheDir != "" {
		if e, err := open(cacheDir); err == nil {
			return e, nil
		}
	}
	temp, err := os.MkdirTemp("", "tidemark-pdf-")
	if err != nil {
		return nil, startError(err)
	}
	e, err := open(temp)
	if err != nil {
		_ = os.RemoveAll(temp)
		return nil, err
	}
	e.temp = temp
	return e, nil
}

func startError(err error) error {
	return fault.New(fault.Internal, "the PDF reader does not start: %w", err)
}

func open(dir string) (*Engine, error) {
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return nil, startError(err)
	}
	e := &Engine{cache: cache}
	e.pool, err = webassembly.Init(webassembly.Config{
		MaxTotal: 1,
		// The default would mount the root directory of this machine, writable.
		FSConfig:      wazero.NewFSConfig(),
		RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(cache).WithMemoryLimitPages(maxMemory),
		Stdout:        io.Discard,
		Stderr:        io.Discard,
	})
	if err != nil {
		e.Close()
		return nil, startError(err)
	}
	return e, nil
}

// instance returns a fresh PDFium. Closing it frees its memory.
func (e *Engine) instance() (pdfium.Pdfium, error) {
	p, err := e.pool.GetInstance(time.Minute)
	if err != nil {
		return nil, startError(err)
	}
	return p, nil
}

// Close releases everything. It ignores errors, because callers could not act on them.
func (e *Engine) Close() {
	if e.pool != nil {
		_ = e.pool.Close()
	}
	_ = e.cache.Close(context.Background())
	if e.temp != "" {
		_ = os.RemoveAll(e.temp)
	}
}

// Warm fills a cache directory, so that the first document need not wait for the compiler. The cache serves every
// machine of this architecture whose processor is no older than the one that wrote it (SSE4.1, BMI1 and ABM are
// checked). Other machines compile again.
func Warm(cacheDir string) error {
	e, err := open(cacheDir)
	if err != nil {
		return err
	}
	e.Close()
	return nil
}
