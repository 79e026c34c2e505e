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

// maxMemory limits the memory of PDFium, in pages of 64 KiB: 512 MiB.
const maxMemory = 8192

// Engine is PDFium, compiled and ready to read one document after another. Each document is read in an instance of
// its own, with memory that no other document has used.
type Engine struct {
	pool  pdfium.Pool
	cache wazero.CompilationCache
	temp  string // folder of a cache that only this run uses, or ""
}

// Open starts PDFium. The folder cacheDir holds the compiled module, 20 MB. With the module, a start takes 60 ms;
// without it, 2 s. Open fills the folder on first use. The code in the folder is run unchecked, so no other user may
// be able to write to the folder. If the folder cannot be read or written, Open uses a cache for this run only,
// because a slow start is better than a failure. Errors: Internal.
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
		// The default configuration would let PDFium read and write the root directory of this machine.
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

// instance returns a new instance of PDFium. Closing the instance frees its memory.
func (e *Engine) instance() (pdfium.Pdfium, error) {
	p, err := e.pool.GetInstance(time.Minute)
	if err != nil {
		return nil, startError(err)
	}
	return p, nil
}

// Close releases all resources. It ignores errors, because callers could not act on them.
func (e *Engine) Close() {
	if e.pool != nil {
		_ = e.pool.Close()
	}
	_ = e.cache.Close(context.Background())
	if e.temp != "" {
		_ = os.RemoveAll(e.temp)
	}
}

// Warm fills a cache directory, so that the first document need not wait for the compiler. The cache works on every
// machine of this architecture whose processor is no older than that of this machine (SSE4.1, BMI1 and ABM are
// checked). Other machines compile again.
func Warm(cacheDir string) error {
	e, err := open(cacheDir)
	if err != nil {
		return err
	}
	e.Close()
	return nil
}
