package generations

import (
	"context"
	"os"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// List returns the generations, the current one first.
func (s *Set) List(ctx context.Context) ([]Generation, error) {
	_, all := s.states()
	for i := range all {
		if info, err := os.Stat(s.path(all[i])); err == nil {
			all[i].Bytes = info.Size()
		}
	}
	if len(all) < 2 {
		return all, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.other == nil {
		return all[:1], nil
	}
	left, of, err := s.other.Behind(ctx, s.current.Index)
	if err != nil {
		return nil, err
	}
	g := &all[1]
	g.Done, g.Of, g.Trouble = of-max(left, 0), of, s.trouble
	if g.State == Building {
		s.forecast(g, max(left, 0), all[0].Bytes, time.Now())
	}
	return all, nil
}

// bytesOfToken is the number of bytes in the file of an index for one token of its texts, about.
const bytesOfToken = 10

// forecast says how long building takes, by the pace since it was asked first.
func (s *Set) forecast(g *Generation, left, size int64, now time.Time) {
	if s.pace.began.IsZero() {
		s.pace = pace{now, left}
	}
	if copied := s.pace.left - left; copied > 0 {
		took := now.Sub(s.pace.began)
		g.Until = now.Add(time.Duration(float64(took) / float64(copied) * float64(left))).UTC()
	}
	if g.Bytes = max(g.Bytes, size); g.Model != "" && g.Of > 0 {
		g.Tokens = size / bytesOfToken * left / g.Of
	}
}

// Begin begins to build a generation with vectors of a model, or without vectors if the model is "". Errors: Conflict
// while another one is beside the current one; NoRoom with the bytes that are needed where there is no room.
func (s *Set) Begin(ctx context.Context, model, by, why string) (Generation, error) {
	s.advancing.Lock()
	g, err := s.begin(ctx, model, by, why)
	s.advancing.Unlock()
	if err == nil {
		go s.goOn()
	}
	return g, err
}

// goOn goes on at once, for a while, so that a person need not wait for the timer.
func (s *Set) goOn() {
	ctx, cancel := context.WithTimeout(s.open, time.Minute)
	defer cancel()
	if _, err := s.Advance(ctx); err != nil {
		s.log.Warn("a generation of the index is not built", "err", err)
	}
}

// beside returns the generation with this id, which is not the current one, if it is in one of the states.
func (s *Set) beside(id string, states ...State) (Generation, error) {
	_, all := s.states()
	for i, g := range all {
		if g.ID != id {
			continue
		}
		for _, state := range states {
			if i > 0 && g.State == state {
				return g, nil
			}
		}
		return g, fault.New(fault.Conflict, "the generation %s is %s", id, g.State)
	}
	return Generation{}, fault.New(fault.NotFound, "there is no generation %s", id)
}

// Compare asks the current generation and another one the same questions.
func (s *Set) Compare(ctx context.Context, id string, queries []string, top int) (out []Compared, err error) {
	if _, err := s.beside(id, Whole, Previous); err != nil {
		return nil, err
	}
	s.mu.RLock()
	current, other := s.current, s.other
	s.mu.RUnlock()
	for _, text := range queries {
		c := Compared{Query: text}
		q := search.Query{Text: text, Top: top, Now: time.Now()}
		if c.Current, err = idsOf(ctx, current.searched, q); err == nil {
			c.This, err = idsOf(ctx, other.searched, q)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func idsOf(ctx context.Context, ix search.Index, q search.Query) (ids []string, err error) {
	found, err := ix.Search(ctx, q)
	for _, r := range found.Results {
		ids = append(ids, r.ID)
	}
	return ids, err
}

// Switch makes a whole generation the current one. Errors: Conflict in another state.
func (s *Set) Switch(ctx context.Context, id string) (Generation, error) {
	return s.switchFrom(ctx, id, Whole)
}

// Rollback makes the previous generation the current one again. It stays so until the settings name another model than
// they do now. Errors: Conflict in another state.
func (s *Set) Rollback(ctx context.Context, id string) (Generation, error) {
	return s.switchFrom(ctx, id, Previous)
}

func (s *Set) switchFrom(ctx context.Context, id string, state State) (Generation, error) {
	s.advancing.Lock()
	defer s.advancing.Unlock()
	if g, err := s.beside(id, state); err != nil {
		return g, err
	}
	if err := s.switchTo(ctx, new(s.model)); err != nil {
		return Generation{}, err
	}
	current, _ := s.states()
	return current, nil
}

// Drop removes a generation that is not current. Errors: Conflict for the current one.
func (s *Set) Drop(id string) error {
	s.advancing.Lock()
	defer s.advancing.Unlock()
	if _, err := s.beside(id, Building, Whole, Previous); err != nil {
		return err
	}
	return s.drop(id)
}
