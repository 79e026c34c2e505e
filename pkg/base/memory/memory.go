// Package memory keeps the process within the memory that it may use, even when strangers send large bodies. Reading
// a large body and processing a document wait until there is room.
//
// Of the instance's memory, the process itself may use six sixteenths ([Share.Goal]), and each of the two readers of
// documents may use five sixteenths ([Share.Reader]); see package document.
package memory

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"golang.org/x/sync/semaphore"
)

// Share is the memory that the instance gives the process, in bytes.
type Share int64

// Goal returns the memory, in bytes, above which the Go runtime collects garbage harder (GOMEMLIMIT).
func (s Share) Goal() int64 { return int64(s) / 16 * 6 }

// leastReader is the memory that is needed to compile the PDF reader, before the first PDF is read.
const leastReader = 320 << 20

// Reader returns the memory, in bytes, that one reader of heavy documents may use.
func (s Share) Reader() int64 { return max(int64(s)/16*5, leastReader) }

// Readers returns how many readers may run at once.
func (s Share) Readers() int {
	if s < DefaultMost {
		return 1
	}
	return 2
}

// Small is the size in bytes of the largest body that is read without [Room.Large].
const Small = 256 << 10

// expansion is the memory that a document needs while it is read and cut into chunks, as a multiple of the document's
// size. Tags without text leave garbage of up to 30 times their size, and text needs 8 times its size.
const expansion = 20

// Room is the memory that documents share. It is safe for concurrent use.
type Room struct {
	large  *semaphore.Weighted // one unit per body, which may be of the largest size allowed
	work   *semaphore.Weighted // one unit per estimated byte
	bodies int64
	bytes  int64
}

// NewRoom divides the share s into room for bodies of at most maxBody bytes and room for processing documents.
func NewRoom(s Share, maxBody int64) *Room {
	r := &Room{bodies: max(1, int64(s)/8/max(1, maxBody)), bytes: max(1, int64(s)/5)}
	r.large, r.work = semaphore.NewWeighted(r.bodies), semaphore.NewWeighted(r.bytes)
	return r
}

// Large waits until there is room for one more body of any size. Callers must call leave when they no longer hold the
// body. The error is Unavailable when ctx ends first.
func (r *Room) Large(ctx context.Context) (leave func(), err error) {
	return acquire(ctx, r.large, 1)
}

// LargeNow is [Room.Large] for callers that cannot wait: it returns Unavailable when there is no room now.
func (r *Room) LargeNow(context.Context) (leave func(), err error) {
	if !r.large.TryAcquire(1) {
		return nil, fault.New(fault.Unavailable, "no memory for a large body now")
	}
	return func() { r.large.Release(1) }, nil
}

// Work waits, as Large does, until there is room to read a document of n bytes and cut it into chunks.
func (r *Room) Work(ctx context.Context, n int) (leave func(), err error) {
	return acquire(ctx, r.work, min(int64(n)*expansion, r.bytes))
}

func acquire(ctx context.Context, s *semaphore.Weighted, n int64) (leave func(), err error) {
	if err := s.Acquire(ctx, n); err != nil {
		return nil, fault.New(fault.Unavailable, "waiting for memory: %w", err)
	}
	return func() { s.Release(n) }, nil
}

// DefaultMost is the largest share that is taken without a setting. A larger instance needs the rest of its memory
// for other purposes.
const DefaultMost Share = 1 << 30

// least is the smallest share with which the process works at all.
const least Share = 256 << 20

// Of returns the share for a setting in bytes. For 0 it returns the memory of the instance, at most [DefaultMost].
func Of(setting int64) Share {
	s := Share(setting)
	if s <= 0 {
		s = DefaultMost
		if limit := Limit(os.ReadFile); limit > 0 {
			s = min(s, Share(limit))
		}
	}
	return max(s, least)
}

// Limit returns the memory of the instance in bytes, as files of the Linux kernel give it: the smallest of the
// machine's memory and the limits of the process's control groups (cgroup v2 and v1). It returns 0 when none of these
// is known.
func Limit(read func(name string) ([]byte, error)) int64 {
	limit := int64(0)
	least := func(n int64) {
		if n > 0 && (limit == 0 || n < limit) {
			limit = n
		}
	}
	for _, name := range groupFiles(read) {
		text, _ := read(name)                                           // a file that is missing sets no limit
		n, _ := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64) // "max" means no limit
		least(n)
	}
	text, _ := read("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "MemTotal:" {
			n, _ := strconv.ParseInt(fields[1], 10, 64)
			least(n << 10)
		}
	}
	return limit
}

// groupFiles returns the files that may hold limits of the process's control group and of the groups around it. See
// cgroups(7).
func groupFiles(read func(name string) ([]byte, error)) []string {
	files := []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}
	text, _ := read("/proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 || parts[1] != "" && parts[1] != "memory" {
			continue
		}
		root, file := "/sys/fs/cgroup", "/memory.max"
		if parts[1] == "memory" {
			root, file = "/sys/fs/cgroup/memory", "/memory.limit_in_bytes"
		}
		for group := parts[2]; group != "" && group != "/"; group = group[:strings.LastIndex(group, "/")] {
			files = append(files, root+group+file)
		}
	}
	return files
}
