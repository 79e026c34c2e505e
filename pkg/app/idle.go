package app

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

const (
	// An interval in which the process allocates less than quietBytes is quiet.
	idleInterval = 5 * time.Second
	quietBytes   = 2 << 20
	// workBytes is how much a process must have allocated since it last gave memory back to do so again.
	workBytes = 16 << 20
)

// idleness decides when a process gives back the memory of its work: once, in the second quiet interval after it. The
// collector alone would keep a heap three times as large as what is live until the next work.
type idleness struct {
	allocated uint64 // bytes until the end of the last interval
	given     uint64 // bytes until memory was given back
	quiet     bool   // the last interval was quiet
}

// due is called at the end of each interval with the bytes allocated so far.
func (i *idleness) due(allocated uint64) bool {
	was := i.quiet
	i.quiet = allocated-i.allocated < quietBytes
	i.allocated = allocated
	if !was || !i.quiet || allocated-i.given < workBytes {
		return false
	}
	i.given = allocated
	return true
}

// giveBackWhenIdle returns memory to the system when the process is idle.
func giveBackWhenIdle(ctx context.Context) {
	tick := time.NewTicker(idleInterval)
	defer tick.Stop()
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	for i := (idleness{}); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if metrics.Read(sample); i.due(sample[0].Value.Uint64()) {
			sqlitefile.Shrink(ctx)
			debug.FreeOSMemory()
		}
	}
}
