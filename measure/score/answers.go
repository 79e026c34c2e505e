package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/registry/answer"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/passage"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
)

// budgets are the sizes of a context, in tokens.
var budgets = []int{500, 1000, 2000}

// answerable is a question with its right pages and an expression that the text of an answer matches.
type answerable struct {
	question
	Lang   string
	Answer string

	expression *regexp.Regexp
}

// documentation is a folder of pages in one language.
type documentation struct {
	Dir     string
	Exclude []string // patterns of paths, in which * crosses slashes
}

// shelf is all documentation that the questions of a set are about.
type shelf struct {
	dir     string
	index   *sqlitesearch.Index
	records map[string][]chunk.Record // by page
	pieces  []piece
	pages   int
}

// piece is a part of a page that is ranked and given as a whole.
type piece struct {
	page, title, heading, anchor, text string
	kind                               chunk.Kind
	joined                             bool // of the same unit as the piece before it
}

func (p piece) tokens() int { return chunk.Tokens(p.text) }

// introduces reports whether a text ends by announcing what follows.
func (p piece) introduces() bool {
	text := strings.TrimSpace(p.text)
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}

// reportAnswers asks the questions of each set in a folder, and reports how often the pages are found and how often
// the answer is in the context that a model would get.
func reportAnswers(out io.Writer, dir string, verbose bool) error {
	var all map[string]documentation
	text, err := os.ReadFile(filepath.Join(dir, "corpora.json"))
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	files, globErr := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err = errors.Join(err, globErr); err != nil {
		return err
	}
	sets := map[string][]string{} // name of a set → files of its halves
	for _, file := range files {
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		sets[name] = append(sets[name], file)
	}
	var every []piece
	for name, halves := range inOrder(sets) {
		var questions [][]answerable
		for _, file := range halves {
			half, err := readAnswerable(file)
			if err != nil {
				return err
			}
			questions = append(questions, half)
		}
		s, err := newShelf(all, slices.Concat(questions...))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err = s.report(out, questions, verbose); err == nil {
			err = s.reportMisspelt(out)
		}
		every = append(every, s.pieces...)
		if err = errors.Join(err, s.index.Close(), os.RemoveAll(s.dir)); err != nil {
			return err
		}
	}
	return printShapes(out, every)
}

func readAnswerable(name string) ([]answerable, error) {
	return readLines(name, func(q *answerable) (err error) {
		if q.Answer == "" || len(q.Right) == 0 {
			return errors.New("it is no question with right pages and an answer")
		}
		q.set = setOf(name)
		q.expression, err = regexp.Compile(q.Answer)
		return err
	})
}

// newShelf reads the documentation that questions are about, and indexes it as a crawl would.
func newShelf(all map[string]documentation, questions []answerable) (*shelf, error) {
	dir, err := os.MkdirTemp("", "tidemark-score-")
	if err != nil {
		return nil, err
	}
	s := &shelf{dir: dir, records: map[string][]chunk.Record{}}
	if s.index, err = sqlitesearch.Open(filepath.Join(dir, "index.db"), sqlitesearch.Options{}); err != nil {
		return nil, err
	}
	err = s.index.Create(context.Background())
	names := map[string]documentation{}
	for _, q := range questions {
		names[q.Corpus] = all[q.Corpus]
	}
	for name, d := range inOrder(names) {
		if err == nil {
			err = s.add(name, d)
		}
	}
	return s, err
}

func (s *shelf) add(corpus string, d documentation) error {
	before, batch := s.pages, []search.Page(nil)
	err := filepath.WalkDir(d.Dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(file) != ".html" {
			return err
		}
		relative, _ := filepath.Rel(d.Dir, file) // cannot fail: the file is below the folder
		if d.leaves(relative) {
			return nil
		}
		body, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		p, ok := preparedOf(corpus, filepath.ToSlash(relative), body)
		if !ok {
			return nil
		}
		s.pages++
		s.records[p.Page.ID] = p.Records
		for i, c := range p.Page.Chunks {
			s.pieces = append(s.pieces, piece{page: p.Page.URL, title: p.Page.Title, heading: c.Heading, anchor: c.Anchor,
				text: c.Text, kind: p.Records[i].Kind, joined: p.Records[i].Joined})
		}
		if batch = append(batch, p.Page); len(batch) == 32 {
			err, batch = s.index.Put(context.Background(), batch...), nil
		}
		return err
	})
	if err == nil && s.pages == before {
		err = fmt.Errorf("there is no page in %s: install its package, as README.md says", d.Dir)
	}
	return errors.Join(err, s.index.Put(context.Background(), batch...))
}

func (d documentation) leaves(relative string) bool {
	return slices.ContainsFunc(d.Exclude, func(pattern string) bool {
		crossing := strings.NewReplacer("/", "\x00", "[!", "[^") // path.Match stops at slashes
		matches, _ := path.Match(crossing.Replace(pattern), crossing.Replace(relative))
		return matches
	})
}

// right reports whether a page answers a question.
func (q answerable) right(address string) bool {
	corpus, page, _ := strings.Cut(strings.TrimPrefix(address, "https://"), ".example/")
	return corpus == q.Corpus && slices.Contains(q.Right, page)
}

// answers reports whether an answer is among passages.
func (q answerable) answers(taken []passage.Passage) bool {
	return slices.ContainsFunc(taken, func(p passage.Passage) bool {
		return q.right(p.Page.URL) && (q.expression.MatchString(p.Text) || q.expression.MatchString(spaced(p.Text)))
	})
}

// spaced returns a text without its marks of structure: those of rows, lists and definitions.
func spaced(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("\n: ", " ", "\n- ", " ", "|", " ").Replace(text)), " ")
}

// answered counts what became of questions.
type answered struct {
	n, first, three, none int
	reciprocal            float64
	in                    [3]int // questions answered within each of the budgets
}

func (a *answered) page(rank int) {
	a.n++
	switch {
	case rank == 0:
		a.none++
		return
	case rank == 1:
		a.first++
	}
	if rank <= 3 {
		a.three++
	}
	a.reciprocal += 1 / float64(rank)
}

// rankings are the ways to find passages that are compared.
func (s *shelf) rankings() (ways []ranking, err error) {
	plain, err := newPlainIndex(s.pieces)
	if err != nil {
		return nil, err
	}
	joined, err := newPlainIndex(join(s.pieces))
	if err != nil {
		return nil, err
	}
	united, err := newPlainIndex(units(s.pieces))
	return []ranking{{"tidemark", s.product}, {"bm25", plain.find}, {"bm25, joined", joined.find},
		{"bm25, units", united.find}}, err
}

// ranking finds the pages for a question, and the passages within a budget.
type ranking struct {
	name string
	find func(question string) (pages []string, context func(tokens int) ([]passage.Passage, error), err error)
}

func (s *shelf) product(text string) ([]string, func(int) ([]passage.Passage, error), error) {
	ctx := context.Background()
	found, err := s.index.Search(ctx, search.Query{Text: text, Top: 20, Whole: true})
	var pages []string
	for _, r := range found.Results[:min(deep, len(found.Results))] {
		pages = append(pages, r.URL)
	}
	return pages, func(tokens int) ([]passage.Passage, error) {
		return answer.Choose(ctx, s.index, [][]search.Result{found.Results}, tokens,
			func(page string) ([]chunk.Record, error) { return s.records[page], nil })
	}, err
}

func (s *shelf) report(out io.Writer, halves [][]answerable, verbose bool) error {
	ways, err := s.rankings()
	if err != nil {
		return err
	}
	for _, questions := range halves {
		set := questions[0].set
		fmt.Fprintf(out, "\n%s: %d questions over %d pages, %d pieces\n", set, len(questions), s.pages, len(s.pieces))
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintf(w, "by\tlanguage\tn\tMRR\tfirst\tthree\tnone\t%d\t%d\t%d\t\n", budgets[0], budgets[1], budgets[2])
		for _, way := range ways {
			rows := map[string]*answered{}
			for _, q := range questions {
				missed, err := way.ask(q, rows)
				if err != nil {
					return fmt.Errorf("%s: %w", q.Q, err)
				}
				if verbose && missed && !strings.HasSuffix(set, ".aside") {
					fmt.Fprintf(out, "  %s misses: %s\n", way.name, q.Q)
				}
			}
			for name, a := range inOrder(rows) {
				fmt.Fprintf(w, "%s\t%s\t%d\t%.3f\t%d\t%d\t%d\t%d\t%d\t%d\t\n", way.name, name, a.n, a.reciprocal/float64(a.n),
					a.first, a.three, a.none, a.in[0], a.in[1], a.in[2])
			}
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// ask asks a question, and counts the result for its language and for all. Missed means that the answer is not in the
// largest context.
func (r ranking) ask(q answerable, rows map[string]*answered) (missed bool, err error) {
	pages, context, err := r.find(q.Q)
	if err != nil {
		return false, err
	}
	rank := 1 + slices.IndexFunc(pages, q.right)
	for _, name := range []string{"all", q.Lang} {
		if rows[name] == nil {
			rows[name] = &answered{}
		}
		rows[name].page(rank)
	}
	for i, tokens := range budgets {
		taken, err := context(tokens)
		if err != nil {
			return false, err
		}
		if missed = !q.answers(taken); !missed {
			rows["all"].in[i]++
			rows[q.Lang].in[i]++
		}
	}
	return missed, nil
}

// units joins the pieces of each unit.
func units(pieces []piece) (all []piece) {
	for _, p := range pieces {
		if n := len(all); p.joined && n > 0 {
			last := &all[n-1]
			if path := chunk.HeadingPath(p.heading); p.heading != last.heading && len(path) > 0 {
				p.text = path[len(path)-1] + "\n\n" + p.text
			}
			last.text, last.anchor = last.text+"\n\n"+p.text, cmp.Or(last.anchor, p.anchor)
			continue
		}
		all = append(all, p)
	}
	return all
}

// join joins pieces as a prototype did: what is only a heading, ends in a colon or has fewer than 60 tokens with what
// follows, and what begins with a definition's mark with what is before it.
func join(pieces []piece) (joined []piece) {
	for _, next := range pieces {
		if n := len(joined); n > 0 {
			last := &joined[n-1]
			wants := last.kind == chunk.Heading || last.introduces() || strings.HasPrefix(next.text, ": ") || last.tokens() < 60
			if wants && last.page == next.page && last.tokens()+next.tokens() <= 450 {
				last.text, last.kind = last.text+"\n\n"+next.text, next.kind
				last.anchor = cmp.Or(last.anchor, next.anchor)
				continue
			}
		}
		joined = append(joined, next)
	}
	return joined
}

// printShapes prints which shares of the pieces are too small or badly named.
func printShapes(out io.Writer, pieces []piece) error {
	general := regexp.MustCompile(`(?i)(^|› )(types|note|example|examples|see also|hinweis|beispiel|exemple|remarque)$`)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\npieces\tnumber\tbelow 30 tokens\tand no whole section\t"+
		"general name\tprose ends in a colon\tends in a colon\tno anchor\t\n")
	for _, way := range []struct {
		name   string
		pieces []piece
	}{{"as indexed", pieces}, {"joined", join(pieces)}, {"units", units(pieces)}} {
		share := func(of func(piece) bool, among func(piece) bool) float64 {
			n, all := 0, 0
			for _, p := range way.pieces {
				if among == nil || among(p) {
					all++
					if of(p) {
						n++
					}
				}
			}
			return 100 * float64(n) / float64(max(all, 1))
		}
		of := map[[2]string]int{} // pieces of each section
		for _, p := range way.pieces {
			of[[2]string{p.page, p.heading}]++
		}
		fmt.Fprintf(w, "%s\t%d\t%.1f %%\t%.1f %%\t%.1f %%\t%.1f %%\t%.1f %%\t%.1f %%\t\n", way.name, len(way.pieces),
			share(func(p piece) bool { return p.tokens() < 30 }, nil),
			share(func(p piece) bool {
				return p.tokens() < 30 && (p.heading == "" || of[[2]string{p.page, p.heading}] > 1)
			}, nil),
			share(func(p piece) bool { return general.MatchString(p.heading) }, nil),
			share(piece.introduces, func(p piece) bool { return p.kind == chunk.Prose }),
			share(piece.introduces, nil), share(func(p piece) bool { return p.anchor == "" }, nil))
	}
	return w.Flush()
}

// inOrder iterates over a map in the order of its keys.
func inOrder[T any](m map[string]T) func(func(string, T) bool) {
	return func(yield func(string, T) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}
