package sqlitefile

import (
	"context"
	"database/sql"
	"sync"
	"time"
	"weak"
)

// shrinkTime bounds how long Shrink waits for the connections of a pool.
const shrinkTime = 100 * time.Millisecond

// pools are the pools of connections of this process that are still in use.
var pools = struct {
	mu  sync.Mutex
	all map[weak.Pointer[sql.DB]]struct{}
}{all: map[weak.Pointer[sql.DB]]struct{}{}}

func register(db *sql.DB) {
	pools.mu.Lock()
	defer pools.mu.Unlock()
	pools.all[weak.Make(db)] = struct{}{}
}

// Shrink makes the connections to all files of this process that nobody uses give back the memory of their pages, which
// is up to 30 MB each. They stay open: a connection that is opened again could find another file at the path, or make
// one, while the connection that writes goes on in the file that was there before.
func Shrink(ctx context.Context) {
	pools.mu.Lock()
	defer pools.mu.Unlock()
	for pointer := range pools.all {
		if db := pointer.Value(); db != nil {
			shrink(ctx, db)
		} else {
			delete(pools.all, pointer)
		}
	}
}

func shrink(ctx context.Context, db *sql.DB) {
	ctx, cancel := context.WithTimeout(ctx, shrinkTime)
	defer cancel()
	for range db.Stats().Idle {
		conn, err := db.Conn(ctx)
		if err != nil {
			return // it is in use again, or closed
		}
		// After the loop: the pool would hand out the same connection again.
		defer conn.Close()
		_, _ = conn.ExecContext(ctx, "PRAGMA shrink_memory") // the pages stay until the next try
	}
}
