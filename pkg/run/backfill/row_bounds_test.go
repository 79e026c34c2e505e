package backfill

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
)

// TestE12FullRowFits checks E12: a run that strangers have filled to its bounds, with the characters that JSON makes
// longest, fits into its row and reads back equal.
func TestE12FullRowFits(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	nasty := strings.Repeat("\"\\\u2028\x01<", 200)
	full := Run{ID: "backfill-20260301t120000z-token", Status: Failed, CreatedAt: at, UpdatedAt: at}
	full.Last = Latest{"a", 7, run.Clip(nasty, maxShown)}
	for i := range MaxSources {
		slug := fmt.Sprintf("%s-%02d", strings.Repeat("s", 61), i)
		full.Sources = append(full.Sources, slug)
		full.Progress = append(full.Progress, Progress{
			Source: slug, State: SourceFailed, Note: run.Clip(nasty, maxMessage), Last: run.Clip(nasty, maxShown),
			Counts: Counts{Discovered: 1 << 40, Bytes: 1 << 60},
		})
	}
	for i := range 100 {
		full.Reasons.Add(run.Clip(fmt.Sprintf("%02d%s", i, nasty), maxMessage), 1<<40)
	}
	var problems []api.BackfillError
	for range 2 * MaxErrors {
		problems = append(problems, api.BackfillError{At: at, Source: full.Sources[0], URL: nasty, Message: nasty})
	}
	full.report(problems)
	e := storage.Entity{Key: key(runRow(full.ID)), Props: codec{}.Encode(&full)}
	if err := storage.CheckTransaction([]storage.Op{{Kind: storage.Insert, Entity: e}}); err != nil {
		t.Fatal(err)
	}
	if e.Props["errorLog2"] == nil || e.Props["progress2"] == nil {
		t.Error("everything is in one column: the bounds are not reached")
	}
	have, err := codec{}.Decode(e.Props)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(full, have, cmp.AllowUnexported(Run{})); diff != "" {
		t.Errorf("(-written +read)\n%s", diff)
	}
}
