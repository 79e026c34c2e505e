package registry

import (
	"context"
	"errors"
	"time"

	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/content/linememory"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage/undo"
)

// Ignore changes the watch options of an item for a person, and returns the changed item. The given function changes
// the options, or refuses with an error. Ignore requests no check: the new options apply from the next check on.
// Errors: NotFound.
func (r *Items) Ignore(ctx context.Context, id source.ID, edit func(it *Item) (why string, err error)) (Item,
	error) {
	done := r.begun(ctx, undo.Item, id, undo.Long)
	return r.edit(ctx, id, func(it *Item, now time.Time) (bool, error) {
		was := settingsIn(it)
		why, err := edit(it)
		if err == nil {
			err = r.s.Options.Undo.Keep(ctx, done, was, settingsIn(it))
		}
		it.recordDone(now, "watch", why+by(ctx), done)
		return false, err
	})
}

// begun returns the record of an action on an item that is about to be done.
func (r *Items) begun(ctx context.Context, kind undo.Kind, id source.ID, keep time.Duration) *undo.Record {
	return r.s.Options.Undo.Begin(kind, string(id), telemetry.From(ctx).Actor, keep)
}

// Decide notes what a person wants of a part that moves, of which m is the memory (see [linememory.Memory.Decide]). It
// requests no check, and leaves the memory to the checks: the next one that finds a difference applies the decision.
// Errors: NotFound, and those of the memory.
func (r *Items) Decide(ctx context.Context, id source.ID, m linememory.Memory, part string,
	do linememory.Decision) (Item, error) {
	said := map[linememory.Decision]string{linememory.Always: "each move is told: ",
		linememory.Never: "no move is told: ", linememory.Forget: "a decision is taken back, or what was learnt: "}
	return r.edit(ctx, id, func(it *Item, now time.Time) (bool, error) {
		decided, line, err := m.Decide(it.Decided, part, do, now)
		if err != nil {
			return false, err
		}
		it.Decided, it.Moving = decided, it.Moving.Sum(m.With(decided), it.Saw)
		it.Record(now, "memory", said[do]+line+by(ctx))
		return false, nil
	})
}

// AcceptWatch requests a check now. Whatever that check finds in the watched part becomes the new expectation (W16). If
// the last check found the part as expected, there is nothing to accept, and AcceptWatch does nothing. For a part that
// has been empty for long it makes no check: nothing more is said of that.
func (r *Items) AcceptWatch(ctx context.Context, id source.ID) (Item, error) {
	it, err := r.Find(ctx, id)
	if err != nil || BrokenWatch(&it) == "" && !it.Watched.Long {
		return it, err
	}
	return r.edit(ctx, id, func(it *Item, now time.Time) (bool, error) {
		check := BrokenWatch(it) != ""
		it.Watched.acceptEmpty()
		it.Watched.Asked, it.Fields = it.Watched.Broken != "", it.Fields.Accept()
		it.Record(now, "watch", "somebody says that what is watched is right now"+by(ctx))
		return check, nil
	})
}

// Accept requests a check now. Whatever that check finds is accepted as the page: a collapse need not be confirmed by
// further checks, and the watched part becomes the new expectation. If there is nothing to accept, Accept does nothing.
func (r *Items) Accept(ctx context.Context, id source.ID) (Item, error) {
	waits := func(it *Item) bool { return it.Collapse.Waits() || BrokenWatch(it) != "" || it.Watched.Long }
	it, err := r.Find(ctx, id)
	if err != nil || !waits(&it) {
		return it, err
	}
	return r.edit(ctx, id, func(it *Item, now time.Time) (bool, error) {
		if !waits(it) {
			return false, nil // a check has come in between
		}
		check := it.Collapse.Waits() || BrokenWatch(it) != ""
		it.Watched.acceptEmpty()
		it.Collapse.Asked, it.Watched.Asked = it.Collapse.Waits(), it.Watched.Asked || it.Watched.Broken != ""
		it.Fields = it.Fields.Accept()
		it.Record(now, "accepted", "somebody says that the page is right as it is now"+by(ctx))
		return check, nil
	})
}

// edit changes an item. It requests a check now if the given function reports that one is needed.
func (r *Items) edit(ctx context.Context, id source.ID, decide func(it *Item, now time.Time) (check bool,
	err error)) (Item, error) {
	return r.editFor(ctx, id, reasonForced, decide)
}

// errUnchanged is the error of a function that decides not to change the item.
var errUnchanged = errors.New("the item stays as it is")

// editFor is like edit, with the reason of the job that a check has.
func (r *Items) editFor(ctx context.Context, id source.ID, reason string, decide func(it *Item,
	now time.Time) (check bool, err error)) (Item, error) {
	found, err := r.Find(ctx, id)
	if err != nil {
		return Item{}, err
	}
	var it Item
	var job []JobItem
	var refused error // an error of any kind from decide, for which a retry does not help
	at := hostID{Partition: found.Partition(), Host: found.SourceHost}
	err = r.s.ChangeHost(ctx, at, func(ctx context.Context, h *hostRecord) (*hostChange, error) {
		job = nil
		if it, err = r.s.LoadItem(ctx, found.Key()); err != nil {
			return nil, err
		}
		if !it.exists() {
			return nil, unknown(id)
		}
		now, oldDue := r.s.Now(), it.NextCrawlAt
		var check bool
		if check, refused = decide(&it, now); refused != nil {
			return nil, nil
		}
		if !check {
			return &hostChange{Ops: it.Write(oldDue, time.Time{})}, nil
		}
		it.NextCrawlAt = now
		h.Policy.Unreached.Ask(now)
		h.Policy.Pace.Claim(now, 1, r.s.Options.Politeness(it.SourceHost))
		job = []JobItem{inJob(&it)}
		until, hint := it.claimUntil(now)
		return &hostChange{Ops: it.Write(oldDue, until), Hint: hint}, nil
	})
	if err == nil && refused != errUnchanged {
		err = refused
	}
	if err == nil && job != nil {
		r.s.Send(ctx, it.Partition(), it.SourceHost, reason, job)
	}
	return it, err
}
