package verdict

import (
	"errors"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/registry"
)

// TestA17WhatIsUnreadable checks A17: a failure is remembered only when the document itself is at fault.
func TestA17WhatIsUnreadable(t *testing.T) {
	for _, tt := range []struct {
		why  error
		want bool
	}{
		{fault.New(fault.Invalid, "broken"), true},
		{fault.New(fault.TooLarge, "too long"), true},
		{fault.New(fault.Blocked, "a password"), true},
		{fault.New(fault.Unavailable, "no reader"), false},
		{errors.New("whatever"), false},
	} {
		before := registry.Item{Seen: registry.Seen{Unreadable: registry.Unreadable{RawHash: "of before"}}}
		it, _ := Compare(before, Answer{Raw: "sha256:x"}, Reading{Unreadable: tt.why}, Basis{}, noon)
		if have := it.Unreadable.RawHash; (have == "sha256:x") != tt.want || !tt.want && have != "" {
			t.Errorf("%v: remembered is %q", tt.why, have)
		}
	}
}
