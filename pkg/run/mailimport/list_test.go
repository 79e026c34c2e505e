package mailimport_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/run/mailimport"
)

// TestD6List checks that the latest imports are listed, the newest first, in full but for their failures, and that
// old ones are not (D6).
func TestD6List(t *testing.T) {
	r := newRig(t, "mem")
	r.text("in.mbox", "From a@port.example Sun Mar  1 12:00:00 2026\nSubject: Tides\n\nHigh water at noon.\n")
	var ids []string
	for range 3 {
		ids = append(ids, r.start(mailimport.Request{Path: "in.mbox"}).ID)
		r.Clock.Pass(40 * 24 * time.Hour)
	}
	slices.Reverse(ids)
	for _, tt := range []struct {
		name  string
		later time.Duration
		top   int
		want  []string
	}{
		{"those of 90 days", 0, 10, ids[:2]},
		{"no more than asked for", 0, 1, ids[:1]},
		{"none that is recent", 60 * 24 * time.Hour, 10, nil},
	} {
		r.Clock.Pass(tt.later)
		list, err := r.List(t.Context(), tt.top)
		r.Must(err)
		var have []string
		for _, im := range list {
			have = append(have, im.ID)
			if whole, err := r.Get(t.Context(), im.ID); err != nil || whole.Path != im.Path || whole.State != im.State ||
				!whole.StartedAt.Equal(im.StartedAt) || whole.Size != im.Size {
				t.Errorf("%s: listed as %+v, is %+v (%v)", tt.name, im, whole, err)
			}
		}
		if diff := cmp.Diff(tt.want, have); diff != "" {
			t.Errorf("%s (-want +have):\n%s", tt.name, diff)
		}
	}
}
