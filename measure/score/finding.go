package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
)

// corpora are the folders of Debian's documentation packages that the questions are about. The packages of one list
// are put into one index.
var corpora = []map[string][]string{
	{
		"python": {"/usr/share/doc/python3.11/html"},
		"rust":   {"/usr/share/doc/rust-doc/html", "/usr/share/doc/rust/html"},
		"policy": {"/usr/share/doc/debian-policy/policy.html", "/usr/share/doc/debian-policy"},
	},
	{
		"postgresql":       {"/usr/share/doc/postgresql-doc-15/html"},
		"git":              {"/usr/share/doc/git-doc", "/usr/share/doc/git/html"},
		"debian-reference": {"/usr/share/debian-reference"},
	},
}

// leftOut are folders of the corpora that are not indexed: core repeats std, with 26,000 pages of intrinsics, and src
// is the source code.
var leftOut = []string{"/usr/share/doc/rust-doc/html/core", "/usr/share/doc/rust-doc/html/src"}

// question is a question with the pages that answer it. Any one of these pages is a correct result.
type question struct {
	Q      string
	Corpus string
	Right  []string
	set    string // name of the file
}

// asked is a question with the rank of its first correct page, from 1, or 0 if no correct page is in the first ten.
type asked struct {
	question
	position int
	gain     float64 // nDCG@10
	took     time.Duration
	first    []string
}

// deep is the number of results of a search that are examined.
const deep = 10

// reportSearch asks the questions of a folder and reports the ranks of the correct pages.
func reportSearch(out io.Writer, folder, file, root string, verbose bool) error {
	questions, err := readQuestions(folder)
	if err != nil {
		return err
	}
	if file == "" {
		dir, err := os.MkdirTemp("", "tidemark-score-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		file = filepath.Join(dir, "search.db")
	}
	ix, err := openCorpora(file, root, questions)
	if err != nil {
		return err
	}
	defer ix.Close()
	var all []asked
	for _, q := range questions {
		a, err := ask(ix, q)
		if err != nil {
			return fmt.Errorf("%s: %w", q.Q, err)
		}
		all = append(all, a)
	}
	pages, err := ix.Count(context.Background())
	if err != nil {
		return err
	}
	if err := printSearch(out, all, pages, verbose); err != nil {
		return err
	}
	printSets(out, all)
	return nil
}

// readQuestions reads all files of questions in a folder, one question a line.
func readQuestions(folder string) (questions []question, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(fmt.Errorf("no *.jsonl with questions in %s", folder), err)
	}
	for _, name := range files {
		some, err := readLines(name, func(q *question) error {
			if q.Q == "" || len(q.Right) == 0 {
				return errors.New("it is no question with its right pages")
			}
			q.set = setOf(name)
			return nil
		})
		if err != nil {
			return nil, err
		}
		questions = append(questions, some...)
	}
	return questions, nil
}

func setOf(file string) string { return strings.TrimSuffix(filepath.Base(file), ".jsonl") }

// readLines reads a file with a value in JSON on each line. The function completes a value, or says what is wrong.
func readLines[T any](name string, complete func(*T) error) (all []T, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var one T
		if err = json.Unmarshal(lines.Bytes(), &one); err == nil {
			err = complete(&one)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", name, lines.Text(), err)
		}
		all = append(all, one)
	}
	return all, lines.Err()
}

// openCorpora opens the index of the corpora that belong with those of the questions. It builds the index if the file
// does not exist, from the packages below a folder.
func openCorpora(file, folder string, questions []question) (*sqlitesearch.Index, error) {
	_, statErr := os.Stat(file)
	ix, err := sqlitesearch.Open(file, sqlitesearch.Options{})
	if err != nil {
		return nil, err
	}
	if err := ix.Create(context.Background()); err != nil || statErr == nil {
		return ix, err
	}
	for _, shelf := range corpora {
		if !slices.ContainsFunc(questions, func(q question) bool { return len(shelf[q.Corpus]) > 0 }) {
			continue
		}
		for name, roots := range shelf {
			for _, root := range roots {
				if _, err := os.Stat(folder + root); err == nil {
					if err := fill(ix, name, folder, root); err != nil {
						return nil, fmt.Errorf("%s: %w", name, err)
					}
					break
				}
			}
		}
	}
	return ix, nil
}

// fill indexes the pages below a folder as a crawl would.
func fill(ix *sqlitesearch.Index, corpus, folder, root string) error {
	root = folder + root
	var batch []search.Page
	flush := func() error {
		defer func() { batch = nil }()
		return ix.Put(context.Background(), batch...)
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if slices.Contains(leftOut, strings.TrimPrefix(path, folder)) {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || filepath.Ext(path) != ".html" {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, _ := filepath.Rel(root, path) // cannot fail: path is below root
		if p, ok := pageOf(corpus, filepath.ToSlash(relative), body); ok {
			batch = append(batch, p)
		}
		if len(batch) == 32 {
			return flush()
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	return err
}

// pageOf returns a page as a crawl would index it. It returns false if a crawl would not index the page.
func pageOf(corpus, path string, body []byte) (search.Page, bool) {
	p, ok := preparedOf(corpus, path, body)
	return p.Page, ok
}

// preparedOf returns a page and the records of its chunks. It returns false if a crawl would not index the page.
func preparedOf(corpus, path string, body []byte) (p index.Prepared, ok bool) {
	rules := source.DefaultRules()
	src, err := rules.ParseURL("https://" + corpus + ".example/" + path)
	if err != nil {
		return p, false
	}
	doc, err := web.Extract(body, "text/html", src.Normalized, extract.Limits{})
	if err != nil || doc.Text == "" {
		return p, false
	}
	it := &registry.Item{
		Identity: registry.Identity{ID: src.ID(), DisplaySource: src.Display, SourceHost: src.Host},
		Seen:     registry.Seen{Language: doc.Language},
	}
	return index.Prepare(it, chunk.Name{}, doc, nil, time.Time{}), true
}

// ask asks a question twice, and measures the time of the second search.
func ask(ix *sqlitesearch.Index, q question) (asked, error) {
	a := asked{question: q}
	var res search.Results
	for range 2 {
		began := time.Now()
		var err error
		if res, err = ix.Search(context.Background(), search.Query{Text: q.Q, Top: deep}); err != nil {
			return a, err
		}
		a.took = time.Since(began)
	}
	var gain, ideal float64
	for i, r := range res.Results {
		address := strings.TrimPrefix(r.URL, "https://")
		a.first = append(a.first, address)
		corpus, path, _ := strings.Cut(address, ".example/")
		if corpus != q.Corpus || !slices.Contains(q.Right, path) {
			continue
		}
		if a.position == 0 {
			a.position = i + 1
		}
		gain += 1 / math.Log2(float64(i+2))
	}
	for i := range min(len(q.Right), deep) {
		ideal += 1 / math.Log2(float64(i+2))
	}
	a.gain = gain / ideal
	return a, nil
}

func printSearch(out io.Writer, all []asked, pages int, verbose bool) error {
	var first, three, reciprocal, gain float64
	var times []time.Duration
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, a := range all {
		if a.position == 1 {
			first++
		}
		if a.position >= 1 && a.position <= 3 {
			three++
		}
		reciprocal += a.reciprocal()
		gain += a.gain
		times = append(times, a.took)
		if verbose {
			fmt.Fprintf(w, "%d\t%s\t%.1f ms\t%s\n", a.position, a.Q, milliseconds(a.took),
				strings.Join(a.first[:min(3, len(a.first))], " "))
		}
	}
	slices.Sort(times)
	n := float64(len(all))
	fmt.Fprintf(w, "%d questions over %d pages: %.0f first, %.0f among three, MRR %.3f, nDCG@10 %.3f, ", len(all), pages,
		first, three, reciprocal/n, gain/n)
	fmt.Fprintf(w, "%.1f ms median, %.1f at most\n", milliseconds(times[len(times)/2]), milliseconds(times[len(times)-1]))
	return w.Flush()
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
