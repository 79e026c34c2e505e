package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/measure/internal/product"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/feed"
)

// movingPage is a page on which something moves, and what should be told of it.
type movingPage struct {
	Page, Class string
	Facts       []movingFact `json:"tell"`
	Bodies      int
	body        func(n int) ([]byte, error)
}

// movingFact is a change that should be told at a check, with the new text in a passage that was added.
type movingFact struct {
	Check    int
	Old, New string
}

// movingPages reads the pages of a folder: pages.jsonl has a line for each, and PAGE/00.html is its first body.
func movingPages(folder fs.FS) (all []movingPage, err error) {
	index, err := fs.ReadFile(folder, "pages.jsonl")
	if err != nil {
		return nil, err
	}
	scan := bufio.NewScanner(bytes.NewReader(index))
	for scan.Scan() {
		var p movingPage
		if err := json.Unmarshal(scan.Bytes(), &p); err != nil {
			return nil, err
		}
		p.body = func(n int) ([]byte, error) { return fs.ReadFile(folder, fmt.Sprintf("%s/%02d.html", p.Page, n)) }
		all = append(all, p)
	}
	return all, scan.Err()
}

// movingRules are the rules whose messages are counted: the one that people save without a choice, and one of a kind.
var movingRules = []struct {
	name   string
	filter api.RuleFilter
}{
	{"default", api.RuleFilter{}},
	{"content", api.RuleFilter{ChangeFilter: api.ChangeFilter{Kind: string(api.ChangeContent)}}},
}

// movingCount counts what a rule tells of pages.
type movingCount struct {
	pages, messages, facts int
	reported, shown, first int // facts in a message at their check: at all, among its passages, as the first added one
	most                   int // messages of the page with the most
	titles                 []string
}

func (c *movingCount) add(o movingCount) {
	c.pages, c.messages, c.facts = c.pages+o.pages, c.messages+o.messages, c.facts+o.facts
	c.reported, c.shown, c.first = c.reported+o.reported, c.shown+o.shown, c.first+o.first
	c.most, c.titles = max(c.most, o.most), append(c.titles, o.titles...)
}

// check counts the messages of a check.
func (c *movingCount) check(n int, facts []movingFact, told []product.Message) {
	c.messages += len(told)
	for _, m := range told {
		c.titles = append(c.titles, fmt.Sprintf("%d %s: %s", n, m.Change.Kind, m.Title))
	}
	for _, f := range facts {
		if f.Check == n {
			reported, shown, first := f.in(told)
			c.reported, c.shown, c.first = c.reported+count(reported), c.shown+count(shown), c.first+count(first)
		}
	}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// in says where some messages have the fact: reported is in anything that differs, the new text or the loss of the old
// one; shown is the new text among the passages, and first is the new text as the first of these that was added.
func (f movingFact) in(all []product.Message) (reported, shown, first bool) {
	has := func(s, text string) bool { return text != "" && strings.Contains(dom.Fold(s), dom.Fold(text)) }
	for _, m := range all {
		for _, p := range m.Differing {
			reported = reported || p.Op == feed.Added && has(p.Text, f.New) || p.Op == feed.Removed && has(p.Text, f.Old)
		}
		added := 0
		for _, p := range m.Change.Passages {
			if p.Op == string(feed.Added) {
				shown, first = shown || has(p.Text, f.New), first || added == 0 && has(p.Text, f.New)
				added++
			}
		}
	}
	return reported || shown, shown, first
}

// watch has the product check a page once for each of its bodies, a time apart. The page has a body until the next
// check, so that is also what a look finds that the product itself takes in between.
func (p movingPage) watch(ctx context.Context, host string, every time.Duration) ([]movingCount, error) {
	n, began := 0, time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	site := func(time.Time) (string, []byte, error) {
		body, err := p.body(n)
		return "text/html", body, err
	}
	w, err := product.New(ctx, "https://"+host+"/", product.Every(every), site, began, func() float64 { return 0 })
	if err != nil {
		return nil, err
	}
	counts := make([]movingCount, len(movingRules))
	for i, r := range movingRules {
		counts[i] = movingCount{pages: 1, facts: len(p.Facts)}
		if err := w.Rule(ctx, r.name, r.filter); err != nil {
			return nil, err
		}
	}
	for n = 1; n < p.Bodies; n++ {
		next := began.Add(time.Duration(n+1) * every)
		if err := w.CheckAt(ctx, began.Add(time.Duration(n)*every), next); err != nil {
			return nil, err
		}
		told := w.Messages()
		for i, r := range movingRules {
			counts[i].check(n, p.Facts, product.Of(r.name, told))
		}
	}
	for i := range counts {
		counts[i].most = counts[i].messages
	}
	return counts, nil
}

// moving counts what is told of pages, by rule and class. The class "" is that of all pages.
func moving(ctx context.Context, pages []movingPage, every time.Duration) ([][]movingCount, error) {
	counts := make([][]movingCount, len(pages))
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(2)
	for i, p := range pages {
		work.Go(func() (err error) {
			if counts[i], err = p.watch(ctx, fmt.Sprintf("page%d.example", i), every); err != nil {
				err = fmt.Errorf("%s: %w", p.Page, err)
			}
			return err
		})
	}
	return counts, work.Wait()
}

// reportMoving writes, for each rule, a row for each class of pages.
func reportMoving(out io.Writer, folder fs.FS, every time.Duration, verbose bool) error {
	pages, err := movingPages(folder)
	if err != nil {
		return err
	}
	counts, err := moving(context.Background(), pages, every)
	if err != nil {
		return err
	}
	classes := []string{}
	for _, p := range pages {
		if !slices.Contains(classes, p.Class) {
			classes = append(classes, p.Class)
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "rule\tclass\tpages\tmessages\twould be right\tfacts told\tshown\tfirst\tmost of a page\t")
	for r, rule := range movingRules {
		for _, class := range append(classes, "") {
			sum := movingCount{}
			for i, p := range pages {
				if class == "" || class == p.Class {
					sum.add(counts[i][r])
				}
			}
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", rule.name, cmp.Or(class, "all"), sum.pages, sum.messages,
				sum.facts, sum.reported, sum.shown, sum.first, sum.most)
		}
	}
	if err := w.Flush(); err != nil || !verbose {
		return err
	}
	for i, p := range pages {
		sayMoving(out, p, counts[i][0])
	}
	return nil
}

// sayMoving lists what was told of a page, if that was too much, or if a fact is missing.
func sayMoving(out io.Writer, p movingPage, c movingCount) {
	const allowed, sample = 2, 8
	if c.messages <= c.facts+allowed && c.first == c.facts {
		return
	}
	fmt.Fprintf(out, "\n%s: %d messages for %d facts, %d told, %d shown, %d first\n", p.Page, c.messages, c.facts,
		c.reported, c.shown, c.first)
	for _, f := range p.Facts {
		fmt.Fprintf(out, "  should be told: %d %s\n", f.Check, f.New)
	}
	for _, s := range c.titles[:min(len(c.titles), sample)] {
		fmt.Fprintln(out, "  told:", s)
	}
}
