package chunk

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// benchPage returns a page of a megabyte with listings, in which one character in fifty is not ASCII.
func benchPage() Page {
	r := rand.New(rand.NewPCG(1, 2))
	p := Page{ID: "url_aaaaaaaaaaaaaaaaaaaaaaaaaa"}
	for size := 0; size < 1<<20; {
		for _, b := range append(section(r, 20), heading(2, nonsense(r, 4)), code(nonsense(r, 60))) {
			b.Text = strings.ReplaceAll(b.Text, "q", "é")
			size += len(b.Text)
			p.Blocks = append(p.Blocks, b)
		}
	}
	return p
}

// BenchmarkSplit cuts and names a page. Its metric is the time relative to hashing the text once with the same hash;
// both are the best of the same run, because the machine may be busy.
func BenchmarkSplit(b *testing.B) {
	p := benchPage()
	text := extract.Join(p.Blocks)
	took := best(b, func() { Split(p) })
	b.ReportMetric(float64(len(text))/took.Seconds()/1e6, "best-MB/s")
	b.ReportMetric(float64(took)/float64(hashing(text)), "x-xxh64")
}

// BenchmarkUIDs names the chunks of a page. The baseline hashes the same input.
func BenchmarkUIDs(b *testing.B) {
	p := benchPage()
	text := newText(extract.Join(p.Blocks))
	chunks, _ := Split(p)
	var spans []span
	var hashed strings.Builder
	for _, c := range chunks {
		spans = append(spans, span{File: p.ID, Start: c.Start, End: c.End})
		hashed.WriteString(text.Slice(max(0, c.Start-contextUnits), min(text.Len(), c.End+contextUnits)))
	}
	texts := map[zoneText]indexedText{{File: p.ID}: text}
	took := best(b, func() { distinctUIDs(Namespace, texts, spans) })
	b.ReportMetric(float64(len(spans))/took.Seconds(), "best-uids/s")
	b.ReportMetric(float64(took)/float64(hashing(hashed.String())), "x-xxh64")
}

// best runs the benchmark and returns the shortest time of f.
func best(b *testing.B, f func()) time.Duration {
	least := time.Hour
	for b.Loop() {
		began := time.Now()
		f()
		least = min(least, time.Since(began))
	}
	return least
}

// hashing returns the shortest time to hash a text.
func hashing(text string) time.Duration {
	least := time.Hour
	for range 200 {
		began := time.Now()
		xxhash.Sum64String(text)
		least = min(least, time.Since(began))
	}
	return least
}
