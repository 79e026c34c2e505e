package backfill

import (
	"context"
	"errors"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
)

// step is the work of one step on a source. It changes the checkpoint and the outcome in memory; [step.commit] stores
// them.
type step struct {
	s     *Service
	run   Run
	at    *checkpoint
	site  *site.Site
	dates discover.Dates
	until time.Time // when the steps of one message end
	now   time.Time
	out   outcome
	forms source.Forms // the forms of the addresses that were chosen
}

// outcome is the result of a step, apart from the step's changes to the checkpoint.
type outcome struct {
	add      Counts
	reasons  map[string]int
	problems []api.BackfillError
	known    []int64 // sizes of known pages; only for a dry run
	last     string  // the document that was read
	url      string  // the address that was processed last
	note     string  // why the source waits
	wait     time.Duration
	end      SourceState  // empty if the source continues
	ops      []storage.Op // operations that write rows of links
}

// exclude counts an unwanted address under the reason for its exclusion.
func (w *step) exclude(reason string) {
	w.out.add.Excluded++
	w.because(reason)
}

// because adds one to the count of a reason.
func (w *step) because(reason string) {
	if w.out.reasons == nil {
		w.out.reasons = map[string]int{}
	}
	w.out.reasons[reason]++
}

// failed counts an error and keeps its text.
func (w *step) failed(url, message string) {
	w.out.add.Errors++
	w.out.problems = append(w.out.problems, api.BackfillError{At: w.now, Source: w.at.Source, URL: url, Message: message})
}

// end ends the source in the given state.
func (w *step) end(as SourceState, note string) error {
	w.out.end, w.out.note = as, note
	return nil
}

// await makes the source wait for the reason given in note.
func (w *step) await(wait time.Duration, note string) error {
	w.out.wait, w.out.note = wait, note
	return nil
}

// Step performs the step that a message asks for, and then the steps that can follow without a pause, for as long as
// [Options].StepTime allows. Then it sends the next message. It returns Invalid for a malformed message. After any
// other error the caller should retry.
func (s *Service) Step(ctx context.Context, body []byte) (err error) {
	w, err := s.open(ctx, body)
	if err != nil || w == nil {
		return err
	}
	defer fault.Wrap(&err, "backfill %s of %s", w.run.ID, w.at.Source)
	// The kill switch takes effect at the next step of a run, not only when a run starts (E6).
	if !s.o.Enabled {
		return s.disable(ctx, w.run.ID)
	}
	// A message that arrives early must not shorten the pause that the last step asked for.
	if early := w.at.NotBefore.Sub(s.runs.Now()); early > 0 {
		return s.send(ctx, w.at, early)
	}
	sites, err := s.Sites(ctx)
	if err != nil {
		return err
	}
	w.site, w.until = sites.Find(w.at.Source), s.runs.Now().Add(s.o.StepTime)
	for on := true; on && err == nil; {
		on, err = w.do(ctx)
	}
	if errors.Is(err, run.ErrDone) { // another process has performed this step
		return nil
	}
	return err
}

// do performs one step. It reports whether the next step follows at once.
func (w *step) do(ctx context.Context) (on bool, err error) {
	w.now, w.out = w.s.runs.Now(), outcome{}
	if w.site == nil {
		_ = w.end(SourceFailed, "the site is not known any more")
	} else if err := w.advance(ctx); err != nil {
		return false, err
	}
	return w.commit(ctx)
}

// GiveUp ends a source whose step failed on every try, with the reason why. Resume tries the source again.
func (s *Service) GiveUp(ctx context.Context, body []byte, why string) error {
	w, err := s.open(ctx, body)
	if err != nil || w == nil {
		return err
	}
	w.failed("", why)
	_ = w.end(SourceFailed, why)
	_, err = w.commit(ctx)
	return err
}

// open loads the run and the checkpoint of the step that a message asks for. It returns nil when there is nothing to
// do: the step is already done, or the run is not active.
func (s *Service) open(ctx context.Context, body []byte) (*step, error) {
	m, err := s.runs.Messages.Parse(body)
	if err != nil {
		return nil, err
	}
	one, err := s.Get(ctx, m.Run)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) {
		return nil, fault.New(fault.Invalid, "%w", err)
	}
	if err != nil {
		return nil, err
	}
	p := one.of(m.Source)
	if p == nil {
		return nil, fault.New(fault.Invalid, "run %s has no source %.70q", m.Run, m.Source)
	}
	if !one.moves() || p.State != SourceRunning {
		return nil, nil
	}
	c, err := s.work.loadCheckpoint(ctx, m.Run, m.Source)
	if err != nil || c.Step != m.Step {
		return nil, err
	}
	return &step{s: s, run: one, at: c, dates: rangeOf(one.Request, one.CreatedAt),
		forms: source.Forms{}}, nil
}

// send sends the message for the next step of a source.
func (s *Service) send(ctx context.Context, c *checkpoint, delay time.Duration) error {
	return s.runs.Messages.Send(ctx, run.Message{Run: c.Run, Source: c.Source, Step: c.Step}, delay)
}

// disable pauses a run until BACKFILL_ENABLED is true again (E6).
func (s *Service) disable(ctx context.Context, id string) error {
	s.o.Log.InfoContext(ctx, disabledLine, "run", id)
	_, err := s.runs.Change(ctx, id, func(r *Run) ([]storage.Op, error) {
		if r.moves() {
			r.Status, r.Note, r.Disabled = Paused, disabledNote, true
		}
		return nil, nil
	})
	return err
}

// advance does the work of one step: it registers links of the current document, or reads the next document.
func (w *step) advance(ctx context.Context) error {
	// A source that has ended has a step only after a resume, which gives its failed documents another try.
	if w.at.Ended {
		w.at.reopen()
	}
	if !w.at.Begun {
		w.at.begin(w.run.Mode, w.site, w.dates)
	}
	// A cap that is reached ends the source. The remaining links can never be registered, so they are dropped.
	if why, full := w.run.full(w.at.Source); full && !w.at.unsure() {
		w.logCap(ctx)
		if left := w.at.leftOver(); left != "" {
			why += ": " + left
		} else if !w.at.more() {
			why = ""
		}
		_ = w.end(SourceDone, why)
		return w.s.work.dropLinks(ctx, w.run.ID, w.at.Source)
	}
	if w.run.Mode == Links {
		return (&following{w: w}).do(ctx)
	}
	// A checkpoint has the links of only one document, so they are registered before the next document is read.
	if w.at.Token != "" {
		return w.slice(ctx)
	}
	return w.document(ctx)
}
