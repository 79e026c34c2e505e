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

// engine is one running PDFium.
type engine struct {
	pool   pdfium.Pool
	pdfium pdfium.Pdfium
	cache  wazero.CompilationCache
	temp   string // cache of this run only, or empty
}

// start runs PDFium. A cache that cannot be read or written is replaced by one for this run: slow
// is better than not at all.
func start(cacheDir string) (*engine, error) {
	if cacheDir != "" {
		if e, err := open(cacheDir); err == nil {
			return e, nil
		}
	}
	temp, err := os.MkdirTemp("", "tidemark-pdf-")
	if err != nil {
		return nil, err
	}
	e, err := open(temp)
	if err != nil {
		_ = os.RemoveAll(temp)
		return nil, fault.New(fault.Internal, "the PDF reader does not start: %w", err)
	}
	e.temp = temp
	return e, nil
}

func open(dir string) (*engine, error) {
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return nil, err
	}
	e := &engine{cache: cache}
	e.pool, err = webassembly.Init(webassembly.Config{
		MaxTotal: 1,
		// The default would mount the root of this machine, writable.
		FSConfig:      wazero.NewFSConfig(),
		RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(cache).WithMemoryLimitPages(maxMemory),
		Stdout:        io.Discard,
		Stderr:        io.Discard,
	})
	if err == nil {
		e.pdfium, err = e.pool.GetInstance(time.Minute)
	}
	if err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

// close releases everything. Nothing can be done about its errors.
func (e *engine) close() {
	if e.pool != nil {
		_ = e.pool.Close()
	}
	_ = e.cache.Close(context.Background())
	if e.temp != "" {
		_ = os.RemoveAll(e.temp)
	}
}

// Warm fills a cache directory, so that the first document need not wait for the compiler. What
// it writes serves every machine of this architecture whose processor is no older than the one
// that wrote it (SSE4.1, BMI1 and ABM are looked at); others compile again.
func Warm(cacheDir string) error {
	e, err := open(cacheDir)
	if err != nil {
		return err
	}
	e.close()
	return nil
}
