package entries

import (
	"context"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// modeTTL is how long this process caches the mode (spec 001 Caching). A change by another process may take this long
// to be noticed here.
const modeTTL = 10 * time.Second

var modeKey = storage.Key{Partition: "config", Row: "is_test_mode"}

// mode is the test mode. It is stored in a row, which outlives the process, and cached in this process.
type mode struct {
	rows    storage.Table
	writing sync.Mutex // makes writers wait, so that the last cached value is the last written

	mu     sync.Mutex
	value  bool
	until  time.Time // when the cached value expires
	writes int       // number of writes; a read that began before the last write is not cached
}

// TestMode reports whether new entries go to the schema for tests. It reads the row at most once in ten seconds.
func (s *Store) TestMode(ctx context.Context) (bool, error) {
	m := &s.mode
	m.mu.Lock()
	value, believed, turn := m.value, s.o.Clock().Before(m.until), m.writes
	m.mu.Unlock()
	if believed {
		return value, nil
	}
	value, _, err := m.read(ctx)
	if err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.writes == turn {
		m.value, m.until = value, s.o.Clock().Add(modeTTL)
	}
	return value, nil
}

// read reads the row of the mode. If the row is missing, the mode is false and there is no ETag.
func (m *mode) read(ctx context.Context) (bool, storage.ETag, error) {
	e, err := m.rows.Get(ctx, modeKey)
	if fault.Is(err, fault.NotFound) {
		return false, "", nil
	}
	value, _ := e.Props["value"].(bool)
	return value, e.ETag, err
}

// SetTestMode sets the mode. This process sees the change at once.
func (s *Store) SetTestMode(ctx context.Context, on bool) error {
	_, err := s.switchMode(ctx, func(bool) bool { return on })
	return err
}

// ToggleTestMode inverts the mode and returns the new value. Each of several concurrent toggles counts. After
// Unavailable, the caller cannot know whether this toggle took effect, and should read the mode before a retry.
func (s *Store) ToggleTestMode(ctx context.Context) (bool, error) {
	return s.switchMode(ctx, func(on bool) bool { return !on })
}

func (s *Store) switchMode(ctx context.Context, next func(on bool) bool) (on bool, err error) {
	m := &s.mode
	m.writing.Lock()
	defer m.writing.Unlock()
	defer func() { m.remember(on, err, s.o.Clock()) }()
	err = s.retry(ctx, func(int) error {
		was, etag, err := m.read(ctx)
		if err != nil {
			return err
		}
		on = next(was)
		op := storage.Op{Kind: storage.Replace, Entity: storage.Entity{
			Key: modeKey, ETag: etag, Props: storage.Properties{"value": on, "updated_at": storage.FormatTime(s.o.Clock())},
		}}
		if etag == "" {
			op.Kind = storage.Insert
		}
		if _, err = m.rows.Transact(ctx, op); fault.Lost(err) {
			return errRaced
		}
		return err
	})
	return on, err
}

// remember caches the result of a write. After a write with an unknown result, it empties the cache.
func (m *mode) remember(on bool, err error, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writes++
	m.value, m.until = on, now.Add(modeTTL)
	if err != nil {
		m.until = time.Time{}
	}
}
