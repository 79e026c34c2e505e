package generations

import (
	"context"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Set is the generations of an index. It is an index itself: the current generation answers.
type Set struct{}

var errStub = fault.New(fault.Unavailable, "not built yet")

// List returns the generations, the current one first.
func (s *Set) List(ctx context.Context) ([]Generation, error) { return nil, errStub }

// Begin begins to build a generation with vectors of a model, or without vectors if the model is "". Errors: Conflict
// while another one is beside the current one, NoRoom with the bytes that are needed.
func (s *Set) Begin(ctx context.Context, model, by, why string) (Generation, error) {
	return Generation{}, errStub
}

// Compare asks the current generation and another one the same questions.
func (s *Set) Compare(ctx context.Context, id string, queries []string, top int) ([]Compared, error) {
	return nil, errStub
}

// Switch makes a whole generation the current one. Errors: Conflict in another state.
func (s *Set) Switch(ctx context.Context, id string) (Generation, error) { return Generation{}, errStub }

// Rollback makes the previous generation the current one again. Errors: Conflict in another state, or while it lacks
// writes.
func (s *Set) Rollback(ctx context.Context, id string) (Generation, error) { return Generation{}, errStub }

// Remove removes a generation that is not current.
func (s *Set) Remove(ctx context.Context, id string) error { return errStub }
