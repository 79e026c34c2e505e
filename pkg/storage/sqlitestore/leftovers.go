package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
)

// pendingGrace is the age of a marker at which its body may be a leftover. A put that takes longer than this is
// refused without harm; see [body.stillPending].
const pendingGrace = 10 * time.Minute

// maxLeftovers limits the number of markers that one search examines.
const maxLeftovers = 10_000

// leftoversEvery is the time between two searches for leftovers. Not only crashes leave them: a backup leaves the
// bodies that were deleted during the backup.
const leftoversEvery = time.Hour

// sweepLeftovers removes leftovers until ctx ends. If no other process used the folder when this one opened it, the
// first search need not spare the bodies that were on their way then: those of a process that was killed.
func sweepLeftovers(ctx context.Context, s *Store, alone bool) {
	if alone {
		s.removeLeftoversBefore(ctx, s.opened)
	}
	for err := error(nil); err == nil; err = defaults.Pause(ctx, leftoversEvery) {
		s.removeLeftovers(ctx, pendingGrace)
	}
}

// removeLeftovers removes the leftovers that are at least as old as the given grace period.
func (s *Store) removeLeftovers(ctx context.Context, grace time.Duration) {
	now, err := fileTime(s.bodies.pendingFolder())
	if err != nil {
		s.log.Warn("leftovers not looked for", "err", err)
		return
	}
	s.removeLeftoversBefore(ctx, now.Add(1-grace))
}

// removeLeftoversBefore removes the leftovers of crashes before the given time: bodies without a row, and markers of
// bodies that have a row. Its cost depends on the number of markers, not on the size of the store.
func (s *Store) removeLeftoversBefore(ctx context.Context, before time.Time) {
	removed := 0
	for _, f := range s.bodies.pending(before) {
		if err := s.removeLeftover(ctx, f); err != nil {
			s.log.Warn("leftover not removed", "path", f.path, "err", err)
			return
		}
		removed++
	}
	if removed > 0 {
		s.log.Info("leftovers of a crash removed", "count", removed)
	}
}

// fileTime returns the current time by the clock of the file system, which may be on another machine.
func fileTime(dir string) (time.Time, error) {
	f, err := os.CreateTemp(dir, "time.")
	if err != nil {
		return time.Time{}, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// pending lists the bodies whose markers are older than the given time.
func (b *bodies) pending(before time.Time) (old []body) {
	d, err := os.Open(b.pendingFolder())
	if err != nil {
		return nil
	}
	defer d.Close()
	entries, _ := d.ReadDir(maxLeftovers)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.ModTime().Before(before) {
			continue
		}
		if container, file, ok := strings.Cut(e.Name(), "."); ok && len(file) > 2 {
			old = append(old, b.body(container, file))
		}
	}
	return old
}

// removeLeftover examines a body inside a transaction, so that no other process can make it the body of a blob in the
// meantime. The marker of a body with a row goes only when the row is durable.
func (s *Store) removeLeftover(ctx context.Context, f body) error {
	used := false
	err := s.write(ctx, func(t *tx) error {
		var one int
		err := t.row("SELECT 1 FROM blobs WHERE file = ?", []any{f.file}, &one)
		if used = err == nil; used {
			return nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if s.bodies.held() {
			return nil // a later search finds the marker again
		}
		return s.kinded(ctx, f.discard())
	})
	if err == nil && used {
		err = s.kinded(ctx, f.clearPending())
	}
	return err
}
