package backfill

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/storage"
)

// E12: a run that strangers filled to its bounds, with what JSON makes longest, fits into its row and is
// read as it was written.
func TestE12FullRowFits(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	nasty := strings.Repeat("\"\\\u2028\x01<", 200)
	run := Run{ID: "backfill-20260301t120000z-token", Status: Failed, CreatedAt: at, UpdatedAt: at}
	run.Last = Place{"a", 7, clip(nasty, maxShown)}
	for i := range MaxSources {
		slug := fmt.Sprintf("%s-%02d", strings.Repeat("s", 61), i)
		run.Sources = append(run.Sources, slug)
		run.Progress = append(run.Progress, Progress{
			Source: slug, State: SourceFailed, Note: clip(nasty, maxMessage), Last: clip(nasty, maxShown),
			Counts: Counts{Discovered: 1 << 40, Bytes: 1 << 60},
		})
	}
	for i := range 100 {
		run.Reasons.Add(clip(fmt.Sprintf("%02d%s", i, nasty), maxMessage), 1<<40)
	}
	var problems []Problem
	for range 2 * MaxErrors {
		problems = append(problems, Problem{At: at, Source: run.Sources[0], URL: nasty, Message: nasty})
	}
	run.report(problems)
	e := storage.Entity{Key: key(runRow(run.ID)), Props: codec{}.Encode(&run)}
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
	if diff := cmp.Diff(run, have, cmp.AllowUnexported(Run{})); diff != "" {
		t.Errorf("(-written +read)\n%s", diff)
	}
}
