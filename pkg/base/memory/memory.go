// Package memory keeps the process within the memory that it may use, even when strangers send large bodies. Reading
// a large body and processing a document wait until there is room.
//
// Of the instance's memory, the process itself may use six sixteenths ([Share.Goal]), and each of the two readers of
// documents may use five sixteenths ([Share.Reader]); see package document.
package memory

import (
	"context"

	"golang.org/x/sync/semaphore"

	"github.com/tidemark/tidemark/pkg/base/fault"
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
