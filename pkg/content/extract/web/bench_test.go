package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// benchmarkPages returns documents of about 60 KB, with a hundred to five hundred blocks or rows each.
func benchmarkPages() []struct{ name, contentType, body string } {
	var page, text, md, rows strings.Builder
	page.WriteString(`<html lang=en><title>T</title><nav><a href=/>Home</a></nav><main><h1>T</h1>`)
	md.WriteString("# T\n\n")
	rows.WriteString("berth,depth,master,since\n")
	const sentence = "The harbour master has closed the north basin until further notice. "
	for i := range 400 {
		fmt.Fprintf(&page, `<div class="row"><p>The <a href="/berth/%d">harbour master</a> has <b>closed</b> the north `+
			`basin until further notice.</p></div>`, i)
		fmt.Fprintf(&rows, "%d,%d.5 m,\"Marsh, Ana\",%d,\"%s\"\n", i, i%11, 1900+i%126, sentence)
		if i%4 == 0 {
			text.WriteString(strings.Repeat(sentence+"\n", 8) + "\n")
			fmt.Fprintf(&md, "## Part %d\n\n%s\n\n- [berth %d](/berth/%d)\n- **closed**\n\n", i, strings.Repeat(sentence, 6), i,
				i)
		}
	}
	return []struct{ name, contentType, body string }{
		{"html", "text/html; charset=utf-8", page.String()},
		{"text", "text/plain; charset=utf-8", text.String()},
		{"markdown", "text/markdown; charset=utf-8", md.String()},
		{"csv", "text/csv; charset=utf-8", rows.String()},
	}
}

// BenchmarkExtract measures the extraction of one document, hashes included.
func BenchmarkExtract(b *testing.B) {
	for _, page := range benchmarkPages() {
		b.Run(page.name, func(b *testing.B) {
			body := []byte(page.body)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				doc, err := Extract(body, page.contentType, goldenBase, extract.Limits{})
				if err != nil || len(doc.Blocks) == 0 || doc.Flat || doc.Truncated {
					b.Fatal(err, len(doc.Blocks), doc.Flat, doc.Truncated)
				}
				doc.ContentHash()
				doc.TextHash()
			}
		})
	}
}
