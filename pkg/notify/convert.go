package notify

import (
	"context"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Older releases had two stores of rules, which are converted at the start of the program:
//
//	rules   <id>      a rule that is not for one page
//	rules   pages     since when there are rules for one page
//	pages   <id>      a rule for one page; its id begins with that of the page and a dot
//	notify  p<id>     what a rule for one page has gathered
const (
	oldRules   = "rules"
	oldPages   = "pages"
	oldStateAs = "p"
)

// oldState is what a rule for one page has gathered.
type oldState struct {
	Gathered gathered  `col:"gathered,gzip"`
	Due      time.Time `col:"due"`
}

var oldStates = row.Of[oldState]()

// Create makes the table and the queues if they are missing, and converts rows of an older release.
func (s *Notifier) Create(ctx context.Context) error {
	if err := s.rows.Create(ctx); err != nil {
		return err
	}
	if err := s.queue.Create(ctx); err != nil {
		return err
	}
	if err := s.poison.Create(ctx); err != nil {
		return err
	}
	return convert(ctx, s.base)
}

// convert moves what older releases have stored. A call goes on where another one was interrupted. Any number of
// processes may convert at the same time, and a process follows changes only after it has converted.
func convert(ctx context.Context, s *base) error {
	all, each := errgroup.WithContext(ctx)
	all.SetLimit(8)
	for _, old := range []string{oldRules, oldPages} {
		for e, err := range s.rows.Query(ctx, storage.Query{Partition: old}) {
			all.Go(func() error {
				if err != nil {
					return err
				}
				return move(each, s, e)
			})
		}
	}
	if err := all.Wait(); err != nil {
		return err
	}
	query := storage.Query{Partition: partition, RowFrom: oldStateAs, RowTo: oldStateAs + "~"}
	for e, err := range s.rows.Query(ctx, query) {
		if err == nil {
			err = moveState(ctx, s, e)
		}
		if fault.Lost(err) {
			return convert(ctx, s) // another process converts, too
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// move stores an old rule, unless it was stored before, and removes its old row. The pointer shows what was stored
// before: it stays when the rule is removed.
func move(ctx context.Context, s *base, e storage.Entity) (err error) {
	page := ""
	if e.Partition == oldPages {
		page, _, _ = strings.Cut(e.Row, ".")
	}
	if e.Row != oldPages {
		_, err = s.rows.Transact(ctx, pointers.Put(pointerKey(e.Row), "", &pointer{page}),
			storage.Op{Kind: storage.Insert, Entity: storage.Entity{Key: keyOf(page, e.Row), Props: e.Props}})
	}
	if err == nil || fault.Is(err, fault.Conflict) {
		_, err = s.rows.Transact(ctx, storage.Op{Kind: storage.Delete, Entity: e})
	}
	if fault.Lost(err) {
		return nil // another process has removed it
	}
	return err
}

// moveState adds what an old rule has gathered to the state of its page.
func moveState(ctx context.Context, s *base, e storage.Entity) error {
	id := e.Row[len(oldStateAs):]
	page, _, _ := strings.Cut(id, ".")
	st, etag, err := s.loadState(ctx, page)
	if err != nil {
		return err
	}
	old, _ := oldStates.Decode(e.Props) // nothing is left of a damaged one
	st.Rules[id] = old.Gathered
	if etag == "" || old.Due.Before(st.Due) {
		st.Due = old.Due
	}
	_, err = s.rows.Transact(ctx, stateRows.Put(stateKey(page), etag, &st), storage.Op{Kind: storage.Delete, Entity: e})
	return err
}
