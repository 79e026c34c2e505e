// Package memory keeps the process within the memory that it may use, whatever strangers send: large
// bodies and the work on documents wait for room.
//
// Of the memory of the instance the process itself may use six sixteenths ([Share.Goal]), and each of
// two readers of documents five ([Share.Reader]); see package document.
package memory

import (
	"context"

	"golang.org/x/sync/semaphore"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Share is how much memory the instance gives the process, in bytes.
type Share int64

// Goal is the memory at which the Go runtime collects garbage harder (GOMEMLIMIT).
func (s Share) Goal() int64 { return int64(s) / 16 * 6 }

// leastReader is what compiling the PDF reader takes, which the first PDF has to wait for.
const leastReader = 320 << 20

// Reader is the most that one reader of a heavy document may use.
func (s Share) Reader() int64 { return max(int64(s)/16*5, leastReader) }

// Readers is how many may read at once.
func (s Share) Readers() int {
	if s < DefaultMost {
		return 1
	}
	return 2
}

// Small is the largest body that is read without a [Room.Large], in bytes.
const Small = 256 << 10

// expansion is how many times its size a document takes while it is read and cut into chunks. Tags
// without text take up to 30 times, text 8 times.
const expansion = 20

// Room is what documents share. It is safe for concurrent use.
type Room struct {
	large  *semaphore.Weighted // of bodies, each counted as the largest allowed
	work   *semaphore.Weighted // of bytes, as estimated
	bodies int64
	bytes  int64
}

// NewRoom divides a share. No body is larger than maxBody bytes.
func NewRoom(s Share, maxBody int64) *Room {
	r := &Room{bodies: max(1, int64(s)/8/max(1, maxBody)), bytes: max(1, int64(s)/5)}
	r.large, r.work = semaphore.NewWeighted(r.bodies), semaphore.NewWeighted(r.bytes)
	return r
}

// Large waits until one more body of any size may be held. Leave must be called once it is not held
// any more. The error is Unavailable: ctx ended first.
func (r *Room) Large(ctx context.Context) (leave func(), err error) {
	return enter(ctx, r.large, 1)
}

// LargeNow is Large for who may not wait: Unavailable when there is no room now.
func (r *Room) LargeNow(context.Context) (leave func(), err error) {
	if !r.large.TryAcquire(1) {
		return nil, fault.New(fault.Unavailable, "no memory for a large body now")
	}
	return func() { r.large.Release(1) }, nil
}

// Work waits until a document of n bytes may be read and cut into chunks, as Large does.
func (r *Room) Work(ctx context.Context, n int) (leave func(), err error) {
	return enter(ctx, r.work, min(int64(n)*expansion, r.bytes))
}

func enter(ctx context.Context, s *semaphore.Weighted, n int64) (leave func(), err error) {
	if err := s.Acquire(ctx, n); err != nil {
		return nil, fault.New(fault.Unavailable, "waiting for memory: %w", err)
	}
	return func() { s.Release(n) }, nil
}
