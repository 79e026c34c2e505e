package sqlitefile

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"
)

// shared is the memory of all connections of the process, of whichever package.
var shared = newHeap(func(giveBack func()) { time.AfterFunc(giveBackEvery, giveBack) })

// configured is the result of making SQLite use shared. SQLite accepts this only before the first connection is
// opened, so it happens when the package is initialized.
var configured = configure()

// methods must not move while SQLite reads it, and must refer to functions of the package rather than to closures:
// see cFuncPointer in modernc.org/sqlite, and the mutex methods there.
var methods = sqlite3.Tsqlite3_mem_methods{
	FxMalloc:   pointer(xMalloc),
	FxFree:     pointer(xFree),
	FxRealloc:  pointer(xRealloc),
	FxSize:     pointer(xSize),
	FxRoundup:  pointer(xRoundup),
	FxInit:     pointer(xInit),
	FxShutdown: pointer(xShutdown),
}

// pointer returns a function of the package as SQLite calls it. See https://golang.org/s/go11func.
func pointer[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&struct{ f F }{f})) }

func configure() error {
	tls := libc.NewTLS()
	defer tls.Close()
	arg := shared.alloc(int(unsafe.Sizeof(uintptr(0))))
	if arg == 0 {
		return errors.New("no memory for SQLite")
	}
	defer shared.free(arg)
	holdSlabs(tls)
	list := libc.VaList(arg, uintptr(unsafe.Pointer(&methods)))
	if rc := sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_MALLOC, list); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("SQLite was used before its memory was configured (%d)", rc)
	}
	return nil
}

// holdSlabs takes a block of each size below a mapping of its own, for good. The driver copies each text and blob of a
// statement into memory that is not SQLite's but of an allocator below libc, which unmaps a slab when its last block is
// freed: with every statement. The blocks hold a slab each, 64 KiB at most.
func holdSlabs(tls *libc.TLS) {
	for n := smallestSlab; n <= largest; n *= 2 {
		libc.Xmalloc(tls, types.Size_t(n)) // without memory the slab is mapped with each use, as before
	}
}

// Memory returns how many bytes SQLite holds in this process, and how many freed bytes are kept for its next calls. It
// is for tests.
func Memory() (used, kept int) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	return shared.used, shared.keeps
}

// The functions are those of [sqlite3_mem_methods].
//
// [sqlite3_mem_methods]: https://sqlite.org/c3ref/mem_methods.html

func xMalloc(_ *libc.TLS, n int32) uintptr { return shared.alloc(int(n)) }

func xFree(_ *libc.TLS, p uintptr) { shared.free(p) }

func xSize(_ *libc.TLS, p uintptr) int32 { return int32(size(p)) }

func xRoundup(_ *libc.TLS, n int32) int32 { return int32(min(fit(int(n)), 1<<31-1)) }

func xInit(_ *libc.TLS, _ uintptr) int32 { return sqlite3.SQLITE_OK }

func xShutdown(*libc.TLS, uintptr) {}

// xRealloc keeps a block that is large enough, as the allocator of SQLite does.
func xRealloc(tls *libc.TLS, p uintptr, n int32) uintptr {
	have := size(p)
	if have >= int(n) {
		return p
	}
	q := shared.alloc(int(n))
	if q != 0 {
		libc.Xmemcpy(tls, q, p, types.Size_t(have))
		shared.free(p)
	}
	return q
}
