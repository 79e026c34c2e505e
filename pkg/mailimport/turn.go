package mailimport

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/file"
	"github.com/tidemark/tidemark/pkg/mbox"
)

// turn is pieces of one import that follow each other. The file stays open between them.
type turn struct {
	*Service
	im   *Import
	part *file.Part
	in   *mbox.Reader
}

// turn takes an import on for about so long, and has the queue go on with the rest. An import that
// somebody else takes on meanwhile is left to them.
func (s *Service) turn(ctx context.Context, im *Import, long time.Duration) error {
	t := &turn{Service: s, im: im}
	defer t.close()
	until := s.o.Clock().Add(long)
	for !im.Over() {
		wait, err := t.piece(ctx)
		if err != nil {
			return err
		}
		now := s.o.Clock().UTC()
		im.UpdatedAt = now
		if im.Over() {
			im.EndedAt = now
		}
		last := im.Over() || wait > 0 || !now.Before(until)
		if last {
			im.Turn++
		}
		if err := s.write(ctx, im); fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) {
			*im, err = s.Get(ctx, im.ID)
			return err
		} else if err != nil {
			return err
		}
		if im.Over() {
			s.o.Log.InfoContext(ctx, "import over", "import", im.ID, "state", im.State, "mails", im.Mails, "inserted", im.Inserted, "updated", im.Updated,
				"skipped", im.Skipped, "failed", im.Failed, "enqueued", im.Enqueued)
			return nil
		}
		if last {
			return s.send(ctx, im, wait)
		}
	}
	return nil
}

// piece changes the import by as much as is written at once, and says how long the next has to wait.
func (t *turn) piece(ctx context.Context) (wait time.Duration, err error) {
	if t.im.State == Enqueueing || len(t.im.pending) >= t.im.Batch {
		return t.enqueue(ctx)
	}
	err = t.read(ctx)
	if bad, ok := errors.AsType[*fileError](err); ok && bad.final() {
		t.im.State, t.im.Message = Failed, bad.Error()
		return 0, nil
	}
	return 0, err
}

// enqueue hands a batch of the entries that wait to tier 1.
func (t *turn) enqueue(ctx context.Context) (wait time.Duration, err error) {
	im := t.im
	n := min(len(im.pending), im.Batch)
	if n > 0 {
		b, err := t.tier1.Schedule(ctx, im.Schema, im.pending[:n])
		switch fault.KindOf(err) {
		case "":
			im.Enqueued += b.Lines
			im.Batches++
		case fault.Blocked: // enrichment is off
			im.NotEnqueued += n
			im.Note = "not enqueued: " + err.Error()
		case fault.Conflict: // too many batches go on
			return pollWait, nil
		default:
			return 0, err
		}
		im.pending = im.pending[n:]
	}
	if im.State == Enqueueing && len(im.pending) == 0 {
		im.State = Done
	}
	return 0, nil
}

// fileError is one of the file, not of our own storage.
type fileError struct{ err error }

func (e *fileError) Error() string { return e.err.Error() }

func (e *fileError) Unwrap() error { return e.err }

// final reports whether trying again would not help.
func (e *fileError) final() bool {
	switch fault.KindOf(e.err) {
	case fault.Conflict, fault.NotFound, fault.Blocked, fault.Invalid:
		return true
	}
	return false
}

// open opens the file where the next piece begins.
func (t *turn) open(ctx context.Context) error {
	if t.in != nil {
		return nil
	}
	place, err := t.o.Root.place(t.im.Path)
	if err != nil {
		return err
	}
	at, inside := t.im.Offset, t.im.inside
	if inside {
		at-- // whether a line begins at Offset
	}
	t.part, err = t.files.OpenAt(ctx, file.Request{Place: place, Credential: t.o.Root.Credential, Known: t.im.File}, at)
	if fault.Is(err, fault.Conflict) {
		err = fault.New(fault.Conflict, "the file has changed since the import began: import it again, what was imported is skipped")
	}
	if err != nil {
		return err
	}
	t.in = mbox.NewReader(t.part, mbox.Options{Offset: at, Inside: inside, Keep: keepMail, Most: MaxMail})
	return nil
}

// settled is a Conflict when the file has changed under the reader.
func (t *turn) settled() error {
	err := t.part.Settled()
	if fault.Is(err, fault.Conflict) {
		err = fault.New(fault.Conflict, "the file changes while it is imported: import it again when it is at rest, what was imported is skipped")
	}
	return err
}

func (t *turn) close() {
	if t.part != nil {
		_ = t.part.Close() // nothing was written
	}
}

// next is the next mail; io.EOF is as it is, what else goes wrong is the file's.
func (t *turn) next() (mbox.Mail, error) {
	m, err := t.in.Next()
	switch {
	case err == nil || err == io.EOF:
	case errors.Is(err, mbox.ErrFormat):
		err = &fileError{fault.New(fault.Invalid, "%w", err)}
	default:
		err = &fileError{err}
	}
	return m, err
}
