package registry

import (
	"context"
	"testing"
	"time"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// K12: two concurrent writers of one part of the total do not spend more than it has.
func TestK12TakersOfOnePart(t *testing.T) {
	var interfere func()
	hooks := &storagetest.Hooks{OnBefore: func(_ context.Context, call storagetest.Call) error {
		if do := interfere; do != nil && call.Op == "table.Transact" {
			interfere = nil
			do()
		}
		return nil
	}}
	under := storagetest.Hooked(mem.New(time.Now), hooks)
	if err := newRowStore(under, Options{}).Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	day, part := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), int64(100)
	var taken int64
	take := func(s *rowStore) {
		got, err := s.spendPart(t.Context(), 0, day, policy.Budget{Requests: 40},
			policy.Budget{Requests: policy.Shares * part})
		if err != nil {
			t.Error(err)
		}
		taken += got.Requests
	}
	s := newRowStore(under, Options{})
	take(s)
	interfere = func() { take(newRowStore(under, Options{})) }
	take(s)
	if taken != part || interfere != nil {
		t.Errorf("three took %d, there were %d", taken, part)
	}
}
