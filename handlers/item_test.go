package handlers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/history"
)

// W25: TestW25ListState checks that the details of a list name the entries that were not registered.
func TestW25ListState(t *testing.T) {
	it := &registry.Item{}
	if got := detailJSON(it, history.Latest{}).List; got != nil {
		t.Errorf("an item that is no list has %+v", got)
	}
	it.Listed = registry.Listed{Key: "k", Now: 9, More: 1, RefusedMore: 2,
		Refused: []registry.Refused{{URL: "u", Why: "w"}}}
	want := &api.ListState{Entries: 9, More: 1, RefusedMore: 2, Refused: []api.RefusedEntry{{URL: "u", Why: "w"}}}
	if diff := cmp.Diff(want, detailJSON(it, history.Latest{}).List); diff != "" {
		t.Error(diff)
	}
}
