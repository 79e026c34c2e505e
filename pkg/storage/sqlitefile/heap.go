package sqlitefile

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"time"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	"modernc.org/memory"
	sqlite3 "modernc.org/sqlite/lib"
)

// keepBytes limits the freed memory that is kept. giveBackEvery is the interval after which memory that was not used
// in the meantime goes back to the system. So after two intervals without writes, nothing is kept except what reads
// go on using.
const (
	keepBytes     = 32 << 20
	giveBackEvery = 5 * time.Second
)

// Blocks below smallest are not kept: the allocator below seldom gives their memory back. It has blocks of powers of
// two up to largest. Larger blocks have a mapping of their own there, of mapped bytes or a multiple, with a header.
const (
	smallest = 1 << 10
	largest  = 16 << 10
	mapped   = 64 << 10
	header   = 32

	smallestSlab = 16 // the size of its smallest blocks
)

// heap is the memory of SQLite: an allocator that keeps freed blocks for the next calls. The allocator below it gives
// a block back to the system at once. SQLite frees the page cache of a reader after each commit of another connection,
// and its journal after each savepoint, so it would map the same memory again for each write.
type heap struct {
	mu    sync.Mutex
	below memory.Allocator
	kept  map[int]*shelf // by size of block
	keeps int            // bytes on all shelves
	used  int            // bytes that SQLite holds
	armed bool           // whether giveBack will run
	later func(func())   // calls a function after giveBackEvery
}

// shelf holds freed blocks of one size. The block that was freed last is used first.
type shelf struct {
	blocks []uintptr
	unused int // how many were not needed since giveBack ran
}

// newHeap returns a heap that calls giveBack through later.
func newHeap(later func(func())) *heap { return &heap{kept: map[int]*shelf{}, later: later} }

// fit returns the size of the block for a request. Few sizes exist, so that a block suits many requests. Memory that
// is never written costs nothing.
func fit(n int) int {
	if n <= largest {
		return 1 << bits.Len(uint(max(n, 8)-1))
	}
	return (n+header+mapped-1)/mapped*mapped - header
}

// size returns the size of a block as fit has chosen it. A block may be a little larger on some systems.
func size(p uintptr) int {
	n := memory.UintptrUsableSize(p)
	if n <= largest {
		return n
	}
	return (n+header)/mapped*mapped - header
}

// alloc returns a block of at least n bytes, or 0 if the system has no memory.
func (h *heap) alloc(n int) uintptr {
	h.mu.Lock()
	defer h.mu.Unlock()
	n = fit(n)
	p := h.reuse(n)
	if p == 0 {
		p, _ = h.below.UintptrMalloc(n) // SQLite reports the error
	}
	if p != 0 {
		h.used += size(p)
	}
	return p
}

// reuse returns a kept block, or 0.
func (h *heap) reuse(n int) uintptr {
	s := h.kept[n]
	if s == nil || len(s.blocks) == 0 {
		return 0
	}
	last := len(s.blocks) - 1
	p := s.blocks[last]
	s.blocks = s.blocks[:last]
	s.unused = min(s.unused, last)
	h.keeps -= n
	return p
}

// free keeps a block, or gives it back if enough is kept.
func (h *heap) free(p uintptr) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := size(p)
	h.used -= n
	if n < smallest || h.keeps+n > keepBytes {
		_ = h.below.UintptrFree(p) // fails only for an address that is not a block
		return
	}
	s := h.kept[n]
	if s == nil {
		s = &shelf{}
		h.kept[n] = s
	}
	s.blocks = append(s.blocks, p)
	h.keeps += n
	if !h.armed {
		h.armed = true
		h.later(h.giveBack)
	}
}

// giveBack returns to the system the blocks that were not needed since its last run. It runs again as long as
// something is kept.
func (h *heap) giveBack() {
	for _, p := range h.idle() {
		h.mu.Lock() // for each block alone, so that SQLite waits for no more than one
		_ = h.below.UintptrFree(p)
		h.mu.Unlock()
	}
}

// idle takes the blocks that were not needed from their shelves.
func (h *heap) idle() (blocks []uintptr) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for n, s := range h.kept {
		blocks = append(blocks, s.blocks[:s.unused]...)
		h.keeps -= n * s.unused
		s.blocks = slices.Clone(s.blocks[s.unused:])
		s.unused = len(s.blocks)
		if len(s.blocks) == 0 {
			delete(h.kept, n)
		}
	}
	if h.armed = len(h.kept) > 0; h.armed {
		h.later(h.giveBack)
	}
	return blocks
}

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
