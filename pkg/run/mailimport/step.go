package mailimport

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/mbox"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/run"
)

// step works on pieces of one import, one after the other. The file stays open between them.
type step struct {
	s    *Service
	im   *Import
	part *file.Part
	in   *mbox.Reader
}

// step works on an import for about the given duration. If work remains, it sends a message for the next turn.
func (s *Service) step(ctx context.Context, im *Import, long time.Duration) error {
	if im.Over() {
		return nil
	}
	t := &step{s: s}
	defer t.close()
	err := s.runs.Advance(ctx, im, long, t.piece)
	if err == nil && im.Over() {
		s.o.Log.InfoContext(ctx, "import over", "import", im.ID, "state", im.State, "mails", im.Mails, "inserted",
			im.Inserted,
			"updated", im.Updated, "skipped", im.Skipped, "failed", im.Failed, "enqueued", im.Enqueued)
	}
	return err
}

// piece performs one piece of the import, and records the progress in memory.
func (t *step) piece(ctx context.Context, im *Import) (next run.Next, err error) {
	t.im = im
	if im.State == Enqueueing || len(im.pending()) >= im.Batch {
		next.Wait, err = t.enqueue(ctx)
	} else {
		err = t.read(ctx)
	}
	if bad, ok := errors.AsType[*fileError](err); ok && bad.final() {
		im.State, im.Message, err = Failed, bad.Error(), nil
	}
	if im.Over() {
		im.EndedAt = t.s.o.Clock().UTC()
	}
	return next, err
}

// enqueue sends a batch of the waiting entries to tier 1.
func (t *step) enqueue(ctx context.Context) (wait time.Duration, err error) {
	im, pending := t.im, t.im.pending()
	n := min(len(pending), im.Batch)
	if n > 0 {
		b, err := t.s.tier1.Schedule(ctx, im.Schema, pending[:n])
		switch fault.KindOf(err) {
		case "":
			im.Enqueued += b.Lines
			im.Batches++
		case fault.Blocked: // enrichment is off
			im.NotEnqueued += n
			im.Note = "not enqueued: " + err.Error()
		case fault.Conflict: // too many batches are active
			return pollWait, nil
		default:
			return 0, err
		}
		im.setPending(pending[n:])
	}
	if im.State == Enqueueing && len(im.Pending) == 0 {
		im.State = Done
	}
	return 0, nil
}

// fileError is an error of the file, not of storage.
type fileError struct{ err error }

func (e *fileError) Error() string { return e.err.Error() }

func (e *fileError) Unwrap() error { return e.err }

// final reports whether a retry would not help.
func (e *fileError) final() bool {
	switch fault.KindOf(e.err) {
	case fault.Conflict, fault.NotFound, fault.Blocked, fault.Invalid:
		return true
	}
	return false
}

// open opens the file at the position where the next piece begins.
func (t *step) open(ctx context.Context) error {
	if t.in != nil {
		return nil
	}
	place, err := t.s.o.Root.locate(t.im.Path)
	if err != nil {
		return err
	}
	at, inside := t.im.Offset, t.im.Inside
	if inside {
		at-- // one byte earlier, to see whether a line begins at Offset
	}
	t.part, err = t.s.files.OpenAt(ctx,
		file.Request{Location: place, Credential: t.s.o.Root.Credential, Known: t.im.file()}, at)
	if fault.Is(err, fault.Conflict) {
		err = fault.New(fault.Conflict,
			"the file has changed since the import began: import it again, what was imported is skipped")
	}
	if err != nil {
		return err
	}
	t.in = mbox.NewReader(t.part, mbox.Options{Offset: at, Inside: inside, Keep: keepMail, Most: MaxMail})
	return nil
}

// unchanged returns Conflict when the file has changed since it was opened.
func (t *step) unchanged() error {
	err := t.part.Unchanged()
	if fault.Is(err, fault.Conflict) {
		err = fault.New(fault.Conflict,
			"the file changes while it is imported: import it again when nothing writes to it any more; "+
				"what was imported is skipped")
	}
	return err
}

func (t *step) close() {
	if t.part != nil {
		_ = t.part.Close() // nothing was written, so an error does not matter
	}
}

// next returns the next mail. At the end of the file the error is io.EOF itself; any other error is a [fileError].
func (t *step) next() (mbox.Mail, error) {
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
