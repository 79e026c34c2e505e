package generations

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// Advance does what there is to do, until it is done or ctx ends: it begins a generation for the model of the settings,
// copies, switches, and removes a previous generation after [Kept]. A timer calls it. It returns the number of writes
// that were copied.
func (s *Set) Advance(ctx context.Context) (copied int, err error) {
	if !s.advancing.TryLock() {
		return 0, nil
	}
	defer s.advancing.Unlock()
	if err := s.follow(ctx, time.Now()); err != nil {
		return 0, err
	}
	before := s.left(ctx)
	err = s.copyAll(ctx)
	s.note(err)
	if ctx.Err() != nil && !errors.Is(err, errBusy) {
		err = nil // the next call goes on
	}
	return int(before - s.left(ctx)), err
}

// follow begins and removes generations as the settings and the time say.
func (s *Set) follow(ctx context.Context, now time.Time) error {
	current, all := s.states()
	wanted := !s.fits(current) && !s.decided()
	if len(all) > 1 {
		other := all[1]
		old := other.State == Previous && now.Sub(other.Switched) >= Kept
		replaced := wanted && !s.fits(other) && (other.State == Previous || other.By == BySettings)
		undone := !wanted && other.State == Building && other.By == BySettings
		if !old && !replaced && !undone {
			if wanted && other.State == Previous && s.fits(other) {
				return s.switchTo(ctx, nil) // the settings have gone back
			}
			return nil
		}
		if err := s.drop(other.ID); err != nil {
			return err
		}
	}
	if !wanted {
		return nil
	}
	why := "the settings name another model"
	if current.Model == s.model {
		why = "this version of the program analyses words otherwise"
	}
	_, err := s.begin(ctx, s.model, BySettings, why)
	return err
}

// fits reports whether a generation is as the settings and the program say.
func (s *Set) fits(g Generation) bool { return g.Model == s.model && g.Words == s.words }

// decided reports whether a person has decided about the settings and the program as they are.
func (s *Set) decided() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.stored.Decided != nil && *s.stored.Decided == s.model && s.stored.DecidedFor == s.words
}

func (s *Set) states() (current Generation, all []Generation) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.stored.Generations[0], slices.Clone(s.stored.Generations)
}

// left returns the number of writes that the other generation lacks.
func (s *Set) left(ctx context.Context) int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.other == nil {
		return 0
	}
	left, _, err := s.other.Behind(ctx, s.current.Index)
	if err != nil {
		return 0
	}
	return max(left, 0)
}

// note keeps why building does not go on.
func (s *Set) note(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trouble = ""; err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		s.trouble = err.Error()
	}
}

// copyAll copies what the other generation lacks. When it lacks nothing, a generation that was being built is whole,
// and one of the settings takes over.
func (s *Set) copyAll(ctx context.Context) error {
	_, all := s.states()
	if len(all) < 2 {
		return nil
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		left, err := s.other.CopyFrom(ctx, s.current.Index, s.other.embed)
		if err != nil {
			return err
		}
		if left <= 0 {
			break
		}
	}
	if all[1].State == Building {
		if unfilled, err := s.current.Begun(ctx); err != nil || unfilled != "" {
			return err
		}
		if name, err := s.other.Begun(ctx); err != nil || name != "" && s.other.Filled(ctx, name) != nil {
			return err
		}
		if err := s.change(func(all []Generation) { all[1].State = Whole }); err != nil {
			return err
		}
		all[1].State = Whole
	}
	if all[1].State == Whole && all[1].By == BySettings {
		return s.switchTo(ctx, nil)
	}
	return nil
}

// change changes the list of generations, and stores it.
func (s *Set) change(to func(all []Generation)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.stored
	next.Generations = slices.Clone(next.Generations)
	to(next.Generations)
	if err := next.save(s.folder); err != nil {
		return err
	}
	s.stored = next
	return nil
}

// switchTries limits how often a switch is tried while the index is written.
const switchTries = 50

var errBusy = fault.New(fault.Unavailable, "the index is written all the time: try again")

// switchTo makes the other generation the current one, at a moment at which it lacks nothing. Decided is the model of
// the settings if a person decided so. The caller holds s.advancing.
func (s *Set) switchTo(ctx context.Context, decided *string) error {
	for range switchTries {
		for {
			left, err := s.other.CopyFrom(ctx, s.current.Index, s.other.embed)
			if err != nil {
				return err
			}
			if left <= 0 {
				break
			}
		}
		done, err := s.exchange(ctx, decided, time.Now())
		if done || err != nil {
			return err
		}
	}
	return errBusy
}

// exchange exchanges the two generations if the other one lacks nothing.
func (s *Set) exchange(ctx context.Context, decided *string, now time.Time) (done bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if left, _, err := s.other.Behind(ctx, s.current.Index); err != nil || left > 0 {
		return false, err
	}
	next := s.stored
	was, is := next.Generations[0], next.Generations[1]
	was.State, was.Switched, is.State, is.Switched = Previous, now, Current, now
	next.Generations, next.Decided, next.DecidedFor = []Generation{is, was}, decided, s.words
	if err := next.save(s.folder); err != nil {
		return false, err
	}
	s.stored, s.current, s.other = next, s.other, s.current
	s.log.Info("another generation of the index answers", "generation", is.ID, "model", is.Model, "was", was.ID)
	return true, s.current.Announce(ctx, search.Takeover{From: was.ID, To: is.ID, Differs: differs(was, is)})
}

func differs(was, is Generation) (in []string) {
	if was.Model != is.Model {
		in = append(in, search.DiffersModel)
	}
	if was.Words != is.Words || len(in) == 0 {
		in = append(in, search.DiffersWords)
	}
	return in
}

// begin begins a generation. The caller holds s.advancing.
func (s *Set) begin(ctx context.Context, model, by, why string) (Generation, error) {
	_, all := s.states()
	if len(all) > 1 {
		return Generation{}, fault.New(fault.Conflict, "the generation %s is %s: wait for it, or remove it", all[1].ID,
			all[1].State)
	}
	size := int64(0)
	if info, err := os.Stat(s.path(all[0])); err == nil {
		size = info.Size()
	}
	if err := s.room(size + size/4); err != nil {
		return Generation{}, err
	}
	s.mu.RLock()
	next := s.stored
	s.mu.RUnlock()
	next.Last++
	g := Generation{State: Building, Model: model, Words: s.words, Why: why, By: by, Begun: time.Now().UTC()}
	g.ID, g.File = nextID(next.Last)
	if err := remove(s.folder, g.File); err != nil { // what a crash has left
		return g, err
	}
	opened, err := s.opened(g)
	if err == nil {
		s.use(opened, g)
		err = opened.Create(ctx)
	}
	if err != nil {
		return g, err
	}
	next.Generations = append(slices.Clone(next.Generations), g)
	if err := next.save(s.folder); err != nil {
		return g, errors.Join(err, opened.Close(), remove(s.folder, g.File))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stored, s.other, s.pace = next, opened, pace{}
	s.log.Info("another generation of the index is built", "generation", g.ID, "model", g.Model, "why", why)
	return g, nil
}

// drop removes the generation that is not current. The caller holds s.advancing.
func (s *Set) drop(id string) error {
	s.mu.Lock()
	other, g := s.other, s.stored.Generations[1]
	next := s.stored
	next.Generations = slices.Clone(next.Generations[:1])
	err := next.save(s.folder)
	if err == nil {
		s.stored, s.other = next, nil
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	s.log.Info("a generation of the index is removed", "generation", id)
	return errors.Join(other.Close(), remove(s.folder, g.File))
}
