// Package storagetest is the contract of the storage port in the form of tests. It also has tools for the tests of
// other packages: they can make any operation fail ([Hooked]) and compare states ([Dump]).
//
// An adapter is correct if [Store] passes. It needs no tests of its own for the promises of the port.
package storagetest

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Sleeper is an optional interface of a store with a clock that tests can advance. The suite calls Sleep instead of
// waiting.
type Sleeper interface{ Sleep(time.Duration) }

// Store runs the conformance suite. Every test opens its own store. The stores may share an account, because names
// are random.
func Store(t *testing.T, open func(t *testing.T) storage.Store) {
	s := suite{open}
	for _, c := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"Tables", s.tables},
		{"Transactions", s.transactions},
		{"Deferred", s.deferred},
		{"Queries", s.queries},
		{"Limits", s.limits},
		{"Queues", s.queues},
		{"Containers", s.containers},
		{"Store", s.store},
	} {
		t.Run(c.name, c.run)
	}
}

type suite struct {
	open func(t *testing.T) storage.Store
}

// run runs named tests in sequence. On a shared server, parallel tests would gain nothing.
func run(t *testing.T, tests map[string]func(*testing.T)) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, test)
	}
}

// unique returns a name that is valid for tables, queues and containers.
func unique(prefix string) string { return prefix + strings.ToLower(rand.Text()[:16]) }

func (s suite) table(t *testing.T) (context.Context, storage.Table) {
	t.Helper()
	ctx, table := t.Context(), s.open(t).Table(unique("t"))
	if err := table.Create(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx, table
}

func (s suite) store(t *testing.T) {
	run(t, map[string]func(*testing.T){
		"ping answers": func(t *testing.T) {
			if err := s.open(t).Ping(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
		"an ended context is Unavailable with its error": func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			err := s.open(t).Ping(ctx)
			wantKind(t, err, fault.Unavailable)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("have %v, want context.Canceled in the chain", err)
			}
		},
	})
}

// wantKind fails unless err is of kind k, where "" means no error.
func wantKind(t *testing.T, err error, k fault.Kind) {
	t.Helper()
	if have := fault.KindOf(err); have != k {
		t.Fatalf("have kind %q (%v), want %q", have, err, k)
	}
}

// wantOp fails unless err concerns the op with the given index.
func wantOp(t *testing.T, err error, index int) {
	t.Helper()
	var blame *storage.OpError
	if !errors.As(err, &blame) {
		t.Fatalf("have %v, want an error that blames op %d", err, index)
	}
	if blame.Index != index {
		t.Fatalf("have op %d blamed (%v), want %d", blame.Index, err, index)
	}
}

func diff(t *testing.T, what string, want, have any) {
	t.Helper()
	if d := cmp.Diff(want, have); d != "" {
		t.Fatalf("%s (-want +have):\n%s", what, d)
	}
}

func must[T any](t *testing.T, v T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return v
}
