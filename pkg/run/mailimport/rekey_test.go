package mailimport_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/storage"
)

// threads are the subjects, in order, of the mails to people from which the old rows of package entries were made.
var threads = []string{"Tide tables", "Re: Tide tables", "AW: Re: Tide tables", "R: the language 4.4",
	"[Pilots] Lights"}

// old writes the rows that the code before revision 2 of the keys wrote.
func (r *rig) old() {
	r.Helper()
	b, err := os.ReadFile("../../entries/testdata/revision1.json")
	r.Must(err)
	var rows map[string]map[string]any
	r.Must(json.Unmarshal(b, &rows))
	for name, props := range rows {
		at := strings.SplitN(name, "/", 3)
		for column, v := range props {
			if n, ok := v.(float64); ok && strings.HasSuffix(column, "_count") {
				props[column] = int64(n)
			}
		}
		_, err := r.Store.Table(at[0]).Transact(r.Context(), storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
			Key: storage.Key{Partition: at[1], Row: at[2]}, Props: storage.Properties(props),
		}})
		r.Must(err)
	}
}

// TestZ3ImportedAgain checks that importing a file again adds nothing twice when its mails have keys of the first
// revision, both before they are re-keyed and afterwards. Mails that the old keys lost, because they merged two
// threads, come back.
func TestZ3ImportedAgain(t *testing.T) {
	for _, first := range []bool{true, false} {
		t.Run(fmt.Sprintf("re-keyed before it: %v", first), func(t *testing.T) {
			r := newRig(t, "embedded")
			r.old()
			if first {
				r.rekey()
			}
			var b strings.Builder
			for i, subject := range threads {
				fmt.Fprintf(&b, "From a Sun Mar  1 08:00:00 2026\nFrom: a@port.example\nSubject: %s\nDate: Sun, 1 Mar 2026 "+
					"%02d:00:00 +0000\n\nmail %d\n\n", subject, 8+i, i)
			}
			r.text("threads.mbox", b.String())
			before := len(r.rows("Entries"))
			for _, want := range []int{1, 0} { // "Tide tables", whose row had become "AW: Re: Tide tables"
				im := r.run(mailimport.Request{Path: "threads.mbox"})
				if im.Inserted != want || im.Inserted+im.Updated != len(threads) {
					t.Errorf("%d inserted, want %d, of %+v", im.Inserted, want, im)
				}
			}
			r.rekey()
			if im := r.run(mailimport.Request{Path: "threads.mbox"}); im.Inserted != 0 || len(r.rows("Entries")) != before+1 {
				t.Errorf("%d inserted, %d entries, %d before", im.Inserted, len(r.rows("Entries")), before)
			}
		})
	}
}

func (r *rig) rekey() {
	r.Helper()
	for cursor, done := "", false; !done; {
		var err error
		_, _, _, cursor, done, err = r.kept.Rekey(r.Context(), cursor, false)
		r.Must(err)
	}
}
