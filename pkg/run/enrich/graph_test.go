package enrich

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// walk is a state that records the nodes it visited.
type walk struct{ visited []string }

func step(name, next string, err error) node[walk] {
	return node[walk]{name, func(_ context.Context, w *walk) (string, error) {
		w.visited = append(w.visited, name)
		if next == "a" && len(w.visited) > 3 { // back only once
			return "", err
		}
		return next, err
	}}
}

// TestD9Graph checks that nodes are visited in order unless a node chooses another; and that a failure ends the run
// and is logged, a model's failure only by the model (D9).
func TestD9Graph(t *testing.T) {
	broken := fault.New(fault.Throttled, "broken")
	for _, tc := range []struct {
		name  string
		nodes []node[walk]
		want  string
		kind  fault.Kind
		log   string
	}{
		{"in order", []node[walk]{step("a", "", nil), step("b", "", nil), step("c", "", nil)}, "a b c", "", ""},
		{"none", nil, "", "", ""},
		{"ahead", []node[walk]{step("a", "c", nil), step("b", "", nil), step("c", "", nil)}, "a c", "", ""},
		{"back once", []node[walk]{step("a", "", nil), step("b", "a", nil), step("c", "", nil)}, "a b a b c", "", ""},
		{"the end", []node[walk]{step("a", end, nil), step("b", "", nil)}, "a", "", ""},
		{"a failure", []node[walk]{step("a", "", broken), step("b", "", nil)}, "a", fault.Throttled, "node=a kind=throttled"},
		{"a failure of the model", []node[walk]{step(nodeLLM, "", broken)}, nodeLLM, fault.Throttled, ""},
		{"to nowhere", []node[walk]{step("a", "x", nil)}, "a", fault.Internal, ""},
		{"in circles", []node[walk]{step("a", "b", nil), step("b", "b", nil)},
			strings.TrimSpace("a " + strings.Repeat("b ", maxSteps-1)), fault.Internal, ""},
	} {
		var log bytes.Buffer
		var w walk
		err := newGraph("test", slog.New(slog.NewTextHandler(&log, nil)), tc.nodes...).Run(t.Context(), &w)
		if have := strings.Join(w.visited, " "); have != tc.want || fault.KindOf(err) != tc.kind {
			t.Errorf("%s: visited %s, %v", tc.name, have, err)
		}
		if !strings.Contains(log.String(), tc.log) || tc.log == "" && log.Len() > 0 {
			t.Errorf("%s: logged %q", tc.name, log.String())
		}
	}
}

// TestD9GraphNames checks that two nodes of one name panic when the graph is made.
func TestD9GraphNames(t *testing.T) {
	for _, names := range [][]string{{"a", "b", "a"}, {end}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v is taken", names)
				}
			}()
			var nodes []node[walk]
			for _, n := range names {
				nodes = append(nodes, step(n, "", nil))
			}
			newGraph("test", slog.New(slog.DiscardHandler), nodes...)
		}()
	}
}
