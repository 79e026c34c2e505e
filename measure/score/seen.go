package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// seenPage is what a browser shows of a page; see testing/browser/seen.
type seenPage struct {
	ID     string
	Pieces [][2]string // element and text
	Failed string
}

// seenCount counts the words that a browser shows, and those of them that are extracted.
type seenCount struct{ words, found int }

func (c *seenCount) add(o seenCount) {
	c.words += o.words
	c.found += o.found
}

// lost is a text that a browser shows and of which most words are not extracted.
type lost struct {
	page, element, text string
	words               int
}

// compareSeen counts the words of a page that are in its extracted text. A word counts as often as the text has it.
func compareSeen(p seenPage, text string) (c seenCount, all []lost) {
	left := countWords(text)
	for _, piece := range p.Pieces {
		words, missing := wordsOf(piece[1]), 0
		for _, w := range words {
			if left[w] == 0 {
				missing++
			} else {
				left[w]--
			}
		}
		c.add(seenCount{len(words), len(words) - missing})
		if missing*2 > len(words) {
			all = append(all, lost{p.ID, piece[0], piece[1], missing})
		}
	}
	return c, all
}

// reportSeen compares what a browser shows of pages with their extracted text. The file has the output of
// testing/browser/seen. It lists the elements with most of the words that are missing and, if verbose, each text.
func reportSeen(out io.Writer, folder fs.FS, file string, verbose bool) error {
	pages, err := readSeen(file)
	if err != nil {
		return err
	}
	var total seenCount
	var shares []float64
	var misses []lost
	for _, p := range pages {
		if p.Failed != "" {
			fmt.Fprintf(out, "%s: %s\n", p.ID, p.Failed)
			continue
		}
		html, err := fs.ReadFile(folder, "html/"+p.ID+".html")
		if err != nil {
			return err
		}
		doc, err := document(html)
		if err != nil {
			return err
		}
		c, all := compareSeen(p, extract.Join(doc.Blocks))
		total.add(c)
		misses = append(misses, all...)
		if c.words > 0 {
			shares = append(shares, float64(c.found)/float64(c.words))
		}
	}
	if total.words == 0 {
		return fmt.Errorf("%s has no words", file)
	}
	mean := 0.0
	for _, s := range shares {
		mean += s / float64(len(shares))
	}
	fmt.Fprintf(out, "%d pages, %d words: %.3f extracted, mean of the pages %.3f\n\n", len(shares), total.words,
		float64(total.found)/float64(total.words), mean)
	printMisses(out, misses, verbose)
	return nil
}

// printMisses lists the missing words by element, or each text.
func printMisses(out io.Writer, misses []lost, verbose bool) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	defer w.Flush()
	if verbose {
		for _, m := range misses {
			fmt.Fprintf(w, "%d\t%s\t%s\t%.100q\n", m.words, m.page, m.element, m.text)
		}
		return
	}
	words := map[string]int{}
	for _, m := range misses {
		_, tag, _ := strings.Cut(m.element, " > ")
		tag, _, _ = strings.Cut(cmp.Or(tag, m.element), ".")
		tag, _, _ = strings.Cut(tag, "#")
		words[tag] += m.words
	}
	most := func(a, b string) int { return cmp.Or(cmp.Compare(words[b], words[a]), cmp.Compare(a, b)) }
	for _, tag := range slices.SortedFunc(maps.Keys(words), most) {
		fmt.Fprintf(w, "%d\t%s\n", words[tag], tag)
	}
}

func readSeen(file string) (pages []seenPage, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := json.NewDecoder(bufio.NewReader(f))
	for {
		var p seenPage
		if err := d.Decode(&p); err == io.EOF {
			return pages, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		pages = append(pages, p)
	}
}
