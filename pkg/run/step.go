package run

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Messages describes the messages that ask for the next step of a run. A message is a JSON object.
type Messages struct {
	Queue   storage.Queue
	RunName string // name of the field with the id of the run
	NumName string // name of the field with the number of the step
}

// Message asks for one step of a run, or of one of its sources.
type Message struct {
	Run    string
	Source string // "" for a run that has only one source
	Step   int64
}

// Names of fields that all messages share. TraceParent identifies the trace that a step belongs to; see package
// telemetry.
const (
	sourceName = "source"
	traceName  = "traceparent"
)

// Send sends a message that is delivered after a delay.
func (q Messages) Send(ctx context.Context, m Message, delay time.Duration) error {
	fields := map[string]any{q.RunName: m.Run, q.NumName: m.Step}
	if m.Source != "" {
		fields[sourceName] = m.Source
	}
	if trace := telemetry.TraceParent(ctx); trace != "" {
		fields[traceName] = trace
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	return q.Queue.Send(ctx, body, delay)
}

// Parse reads a message. It returns Invalid for a message without the id of a run.
func (q Messages) Parse(body []byte) (m Message, err error) {
	var fields map[string]json.RawMessage
	err = json.Unmarshal(body, &fields)
	for name, to := range map[string]any{q.RunName: &m.Run, q.NumName: &m.Step, sourceName: &m.Source} {
		if value, ok := fields[name]; ok && err == nil {
			err = json.Unmarshal(value, to)
		}
	}
	if err != nil || m.Run == "" {
		return m, fault.New(fault.Invalid, "the message of a step names no %s", q.RunName)
	}
	return m, nil
}

// Next describes what is done after a step.
type Next struct {
	Wait time.Duration // pause before the next step; if zero, the next step may follow in the same call
	Ops  []storage.Op  // operations to write in one transaction with the run
	// Early states that the next step may come before the pause ends, if somebody asks for it; see [Runs.Hurry].
	Early bool
}

// ErrDone is the error of a step that finds nothing left to do, for example because another process has performed the
// step. Nothing is written then.
var ErrDone = errors.New("the step is done already")

// StepFunc performs one step of a run, which it changes in memory. It may be called again with the run as it was
// before the step, and two processes may call it at the same time.
type StepFunc[R any] func(ctx context.Context, one *R) (Next, error)

// Step performs the step that a message asks for, and then further steps, for about the given duration. It returns
// Invalid for a malformed message. After any other error the caller should retry.
func (r *Runs[R]) Step(ctx context.Context, body []byte, long time.Duration, do StepFunc[R]) error {
	one, err := r.Open(ctx, body)
	if err != nil || one == nil {
		return err
	}
	return r.Advance(ctx, one, long, do)
}

// Open reads the run that a message asks for. It returns nil if there is nothing to do, because the step is already
// done or the message came too early. In the latter case, Open sends the message again with a delay.
func (r *Runs[R]) Open(ctx context.Context, body []byte) (*R, error) {
	m, err := r.Messages.Parse(body)
	if err != nil {
		return nil, err
	}
	one, err := r.Get(ctx, m.Run)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) {
		return nil, fault.New(fault.Invalid, "%w", err)
	}
	f := r.Fields(&one)
	if err != nil || f.Over || *f.Step != m.Step {
		return nil, err
	}
	if f.NotBefore != nil {
		if early := f.NotBefore.Sub(r.Now()); early > 0 {
			return nil, r.Messages.Send(ctx, m, early)
		}
	}
	return &one, nil
}

// Advance performs steps of a run for about the given duration, but at least one step. Then it sends the message for
// the next step. If another process advances the run at the same time, Advance stops, and *one becomes the run as
// that process wrote it.
func (r *Runs[R]) Advance(ctx context.Context, one *R, long time.Duration, do StepFunc[R]) (err error) {
	defer fault.Wrap(&err, "%s %s", r.Kind, *r.Fields(one).ID)
	for until := r.Now().Add(long); ; {
		next, err := do(ctx, one)
		if errors.Is(err, ErrDone) {
			return nil
		}
		if err != nil {
			return err
		}
		f, now := r.Fields(one), r.Now()
		last := f.Over || next.Wait > 0 || !now.Before(until)
		if f.UpdatedAt != nil {
			*f.UpdatedAt = now
		}
		if f.NotBefore != nil {
			if *f.NotBefore = now.Add(next.Wait); next.Early {
				*f.NotBefore = now
			}
		}
		if last && f.Step != nil {
			*f.Step++
		}
		if err := r.Save(ctx, one, next.Ops...); fault.Lost(err) {
			*one, err = r.Get(ctx, *f.ID)
			return err
		} else if err != nil || f.Over {
			return err
		}
		if last {
			r.Enqueue(ctx, one, next.Wait)
			return nil
		}
	}
}

// Enqueue sends the message for the next step of a run. If the message cannot be sent now, the watchdog sends it
// later.
func (r *Runs[R]) Enqueue(ctx context.Context, one *R, delay time.Duration) {
	f := r.Fields(one)
	if r.Messages.Queue == nil || f.Over {
		return
	}
	if err := r.Messages.Send(ctx, Message{Run: *f.ID, Step: *f.Step}, delay); err != nil {
		r.Log.WarnContext(ctx, "step not sent; the watchdog will send it", "kind of run", r.Kind, "run", *f.ID, "kind",
			fault.KindOf(err))
	}
}

// sendTime limits the time for sending a message after the request that began the run was cancelled.
const sendTime = 10 * time.Second

// Interrupted reads a run again after [Runs.Advance] has failed, because the copy in memory may have changes that were
// not stored, and lets the queue go on with it. Without a failure it does nothing.
func (r *Runs[R]) Interrupted(ctx context.Context, one *R, failed error) (err error) {
	if failed == nil {
		return nil
	}
	id := *r.Fields(one).ID
	r.Log.WarnContext(ctx, r.Kind+" interrupted; the queue goes on with it", r.Kind, id, "kind", fault.KindOf(failed),
		"err", failed)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTime)
	defer cancel()
	if *one, err = r.Get(ctx, id); err == nil {
		r.Enqueue(ctx, one, 0)
	}
	return err
}

// Hurry asks for the next step of a run now. If the run may not go on before a time that is still to come, or ends
// meanwhile, the message has no effect. The message that was sent before finds the step done.
func (r *Runs[R]) Hurry(ctx context.Context, one *R) { r.Enqueue(ctx, one, 0) }
