package web

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

func TestA17CSV(t *testing.T) {
	for _, tc := range []struct{ name, body, want string }{
		{"commas", "Fish,Price\r\nCod,4.20\r\n", "Fish | Price\nCod | 4.20"},
		{"semicolons, for those who write 4,20", "Fish;Price\nCod;4,20", "Fish | Price\nCod | 4,20"},
		{"tabs", "Fish\tPrice\nCod\t4.20", "Fish | Price\nCod | 4.20"},
		{"quotes, and a line break in them", "a,\"b, \"\"c\"\"\nd\",e", `a | b, "c" d | e`},
		{"empty cells and records", "a,,c\n\n,,\n,b,", "a |  | c\n | b"},
		{"a quote that is never closed", "a,\"b\nc,d", "a | \"b\nc | d"},
		{"text behind a quote", `"a"b,c`, "ab | c"},
		{"one column", "a\nb", "a\nb"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc := extractAs(t, "text/csv", tc.body)
			if diff := cmp.Diff([]extract.Block{{Kind: extract.Table, Text: tc.want}}, doc.Blocks); diff != "" {
				t.Errorf("-want +have\n%s", diff)
			}
		})
	}
	if doc := extractAs(t, "text/csv", "\n,\n"); doc.Blocks != nil || doc.Text != "" {
		t.Errorf("have %+v of nothing", doc.Blocks)
	}
}

// TestCSVRoundTrip draws records, writes them according to RFC 4180, and reads them back.
func TestCSVRoundTrip(t *testing.T) {
	cell := rapid.StringMatching(`[a-z",;\r\n ]{0,6}x`)
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOfN(rapid.SliceOfN(cell, 1, 4), 1, 5).Draw(t, "records")
		records = append([][]string{{"name", "price", "date", "place", "who", "why", "when", "to", "by", "of", "in", "at"}},
			records...)
		var body strings.Builder
		w := csv.NewWriter(&body)
		var want []string
		for _, record := range records {
			if err := w.Write(record); err != nil {
				t.Fatal(err)
			}
			folded := make([]string, len(record))
			for i := range record {
				folded[i] = dom.Fold(record[i])
			}
			want = append(want, strings.Join(folded, " | "))
		}
		w.Flush()
		have, beyond := csvRows(body.String(), 100)
		if diff := cmp.Diff(want, have); diff != "" || beyond != (extract.Beyond{}) {
			t.Fatalf("beyond=%v of %q: -want +have\n%s", beyond, body.String(), diff)
		}
	})
}

func TestCSVIsBounded(t *testing.T) {
	rows, beyond := csvRows("a\nb\nc\n", 2)
	if len(rows) != 2 || beyond == (extract.Beyond{}) {
		t.Errorf("%d rows, beyond=%v", len(rows), beyond)
	}
	if rows, beyond = csvRows("a\nb\n\n", 2); len(rows) != 2 || beyond != (extract.Beyond{}) {
		t.Errorf("%d rows, beyond=%v, though everything is there", len(rows), beyond)
	}
}

func FuzzCSV(f *testing.F) {
	for _, seed := range []string{"", "a,b\n1,2", `"a""b",c`, `a,"b`, "\t;\t\n", `"""`, "\"a\"\r\n\"\r"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) { checkPromises(t, body, "text/csv") })
}
