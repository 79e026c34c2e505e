package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"text/tabwriter"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
)

// A knownPage is the ground truth of a page, in the form of WCXB: ground-truth/ID.json with html/ID.html.
type knownPage struct {
	URL   string
	Truth struct {
		Author string
		Date   string `json:"publish_date"` // a day, or a month
	} `json:"ground_truth"`
}

// tallied counts the results for one property of pages.
type tallied struct{ right, wrong, missing, invented, none int }

func (f *tallied) add(known, have string, same bool) {
	switch {
	case known == "" && have == "":
		f.none++
	case known == "":
		f.invented++
	case have == "":
		f.missing++
	case same:
		f.right++
	default:
		f.wrong++
	}
}

// reportMetadata reports how often the extracted date and author of pages equal the known ones.
func reportMetadata(out io.Writer, folder fs.FS, verbose bool) error {
	names, err := fs.Glob(folder, "ground-truth/*.json")
	if err != nil || len(names) == 0 {
		return fmt.Errorf("want ground-truth/ID.json and html/ID.html: %d pages, %v", len(names), err)
	}
	var date, author tallied
	for _, name := range names {
		id := strings.TrimSuffix(strings.TrimPrefix(name, "ground-truth/"), ".json")
		known, have, err := readFacts(folder, id)
		if err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		day := ""
		if !have.Published.IsZero() {
			day = have.Published.Format("2006-01-02")
		}
		sameDay := strings.HasPrefix(day, known.Truth.Date)
		date.add(known.Truth.Date, day, sameDay)
		sameAuthor := strings.EqualFold(dom.Fold(known.Truth.Author), have.Author)
		author.add(known.Truth.Author, have.Author, sameAuthor)
		if verbose && (day != known.Truth.Date && !(sameDay && day != "") || !sameAuthor) {
			fmt.Fprintf(out, "%s %s: date %q, known %q; author %q, known %q\n", id, known.URL, day, known.Truth.Date,
				have.Author, known.Truth.Author)
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "property\tpages that have it\tright\twrong\tmissing\tpages that have none\tgiven\t")
	for _, row := range []struct {
		name string
		f    tallied
	}{{"published", date}, {"author", author}} {
		all := row.f.right + row.f.wrong + row.f.missing
		share := func(n int) float64 { return float64(n) / float64(max(all, 1)) }
		fmt.Fprintf(w, "%s\t%d\t%.3f\t%.3f\t%.3f\t%d\t%d\t\n", row.name, all, share(row.f.right), share(row.f.wrong),
			share(row.f.missing), row.f.invented+row.f.none, row.f.invented)
	}
	return w.Flush()
}

// readKnownPage reads the ground truth and the body of a page.
func readKnownPage(folder fs.FS, id string) (k knownPage, body []byte, err error) {
	text, err := fs.ReadFile(folder, "ground-truth/"+id+".json")
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	if err != nil {
		return k, nil, err
	}
	k.URL = cmp.Or(k.URL, "https://page.example/")
	body, err = fs.ReadFile(folder, "html/"+id+".html")
	return k, body, err
}

// readFacts reads the ground truth of a page, and extracts its metadata.
func readFacts(folder fs.FS, id string) (k knownPage, have extract.Metadata, err error) {
	k, body, err := readKnownPage(folder, id)
	if err != nil {
		return k, have, err
	}
	doc, err := web.Extract(body, "text/html", k.URL, extract.Limits{})
	return k, doc.Metadata, err
}
