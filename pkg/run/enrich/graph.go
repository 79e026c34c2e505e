package enrich

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Names of nodes, in the order in which they occur in every graph (D9).
const (
	nodeLoad   = "load"
	nodePrompt = "prompt"
	nodeLLM    = "llm"
	nodeParse  = "parse"
	nodeWrite  = "write"
	// end is the node that a function returns if there is nothing left to do.
	end = "end"
)

// maxSteps limits the number of nodes that a run visits.
const maxSteps = 20

// node is a named function that works on a state. The function returns the name of the node to visit next, or "" for
// the next node of the graph.
type node[S any] struct {
	Name string
	Do   func(ctx context.Context, s *S) (next string, err error)
}

// graph is a sequence of nodes. Each node may choose another successor than the next node. A graph logs only
// failures; calls of models log themselves.
type graph[S any] struct {
	name  string
	nodes []node[S]
	log   *slog.Logger
}

// newGraph returns a graph of nodes. It panics when two nodes have the same name, which is a programming error.
func newGraph[S any](name string, log *slog.Logger, nodes ...node[S]) *graph[S] {
	g := &graph[S]{name: name, nodes: nodes, log: log}
	for i, n := range nodes {
		if g.find(n.Name) != i || n.Name == end {
			panic("enrich: graph " + name + " has two nodes " + n.Name)
		}
	}
	return g
}

// Nodes returns the names of the nodes in order.
func (g *graph[S]) Nodes() (names []string) {
	for _, n := range g.nodes {
		names = append(names, n.Name)
	}
	return names
}

// Run takes a state through the nodes, from the first to the end or to the first failure. The error of Run has the
// kind of that failure.
func (g *graph[S]) Run(ctx context.Context, s *S) error {
	for at, steps := 0, 0; at < len(g.nodes); steps++ {
		n := g.nodes[at]
		if steps == maxSteps {
			return fmt.Errorf("%s goes round in circles at %s", g.name, n.Name)
		}
		next, err := n.Do(ctx, s)
		if err != nil {
			if n.Name != nodeLLM {
				g.log.ErrorContext(ctx, "graph node failed", "graph", g.name, "node", n.Name, "kind", fault.KindOf(err), "err", err)
			}
			return fmt.Errorf("%s: %s: %w", g.name, n.Name, err)
		}
		switch next {
		case "":
			at++
		case end:
			return nil
		default:
			if at = g.find(next); at < 0 {
				return fmt.Errorf("%s: %s goes to %q, which is no node", g.name, n.Name, next)
			}
		}
	}
	return nil
}

func (g *graph[S]) find(name string) int {
	return slices.IndexFunc(g.nodes, func(n node[S]) bool { return n.Name == name })
}
