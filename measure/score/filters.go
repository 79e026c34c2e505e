package main

import (
	"regexp"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/linememory"
	"github.com/tidemark/tidemark/pkg/content/naming"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	product "github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/registry"
)

// byFilter tells what the rule of a person tells: it makes the change of the feed as the product does, and asks the
// rule's filter about it. It holds what is remembered of one page.
type byFilter struct {
	filter      feed.Filter
	notReverted bool // returns to an earlier text are left out, which no filter can do
	known       change.Known
	last        *facts
	item        registry.Item // with what is remembered of the page's lines
	memory      linememory.Memory
	change      feed.Change // the last one, whether it was told or not
}

// filterMethods are the rules whose messages are counted: the one that people save without a choice (the zero filter,
// as the form and the program save it), and that for the main content alone; both also without texts that come back.
func filterMethods() (all []method) {
	for _, m := range []struct {
		name        string
		filter      api.ChangeFilter
		notReverted bool
	}{
		{"told by default", api.ChangeFilter{}, false},
		{"told by default, without reverted", api.ChangeFilter{}, true},
		{"told, main alone", api.ChangeFilter{Zone: api.ZoneMain}, false},
		{"told, main alone, without reverted", api.ChangeFilter{Zone: api.ZoneMain}, true},
	} {
		all = append(all, method{m.name, func(*item, *furniture) detector {
			filter, err := feed.NewFilter(m.filter)
			if err != nil {
				panic(err) // it is constant
			}
			return &byFilter{filter: filter, notReverted: m.notReverted}
		}})
	}
	return all
}

// maxCompared is how much of a page the product compares.
const maxCompared = 256 << 10

func (d *byFilter) check(s *facts, _ int, at time.Time) verdict {
	if s.Document.Failure != "" {
		return verdict{}
	}
	defer func() { d.item.Saw = linememory.After(d.item.Saw, at) }()
	decided := change.Decide(d.known, s.reading(true), false, at)
	if d.known = decided.Known; decided.Waits || decided.Kind == change.None {
		return verdict{}
	}
	before := d.last
	if d.last = s; before == nil {
		return verdict{index: true}
	}
	o := product.Outcome{News: product.News{Kind: decided.Kind}}
	var seen linememory.Verdict
	if k := decided.Kind; k == change.Content || k == change.Beside || k == change.Reverted {
		page := product.Reading{Doc: s.Document, Page: s.page()}
		var texts *product.Texts
		o, _, texts = product.Differing(before.page(), before.Document, nil, page, o)
		d.memory, seen, o = product.SeeLines(&d.item, d.memory, texts, o, at)
	}
	c := feed.Change{At: at, Kind: feed.Kind(o.News.Kind), Type: "url", Title: s.Document.Title, Small: o.News.Small,
		Share: max(decided.Extent.New, decided.Extent.Gone)}
	c.SetDifference(before.named(), s.named(), maxCompared, seen.Moving)
	d.change = c
	told := d.filter.Wants(c) && !(d.notReverted && c.Kind == feed.Reverted)
	return verdict{alarm: told, index: true}
}

// text returns the text of both zones.
func (f *facts) text() string { return extract.Join(f.Document.Blocks) }

// page returns the document with the text of both zones.
func (f *facts) page() extract.Document {
	doc := f.Document
	doc.Text = f.text()
	return doc
}

// named returns the text of both zones with the names of its lines.
func (f *facts) named() textdiff.Text {
	return textdiff.Text{Text: f.text(), Of: naming.Of(f.Document.Blocks, f.Document.Title).Line}
}

// mainText returns the text of the main content.
func (f *facts) mainText() string {
	return extract.Join(slices.DeleteFunc(slices.Clone(f.Document.Blocks), func(b extract.Block) bool {
		return b.Zone == extract.Beside
	}))
}

// movingText matches what a rule masks that is said to silence everything that moves: numbers with their signs and
// units of money, times, names of months and of days.
var movingText = regexp.MustCompile(`(?i)[\p{Sc}%+-]?\p{Nd}[\p{Nd}.,:/'’-]*(?:st|nd|rd|th)?(?:\s?(?:[\p{Sc}%‰]|(?:EUR|USD|GBP|CHF)\b))?|` +
	`\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|` +
	`nov(?:ember)?|dec(?:ember)?|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b`)

// maskedMethods report each difference of a text in which everything is masked that a number, a price or a date is.
func maskedMethods() (all []method) {
	for _, m := range []struct {
		name string
		text func(*facts) string
	}{
		{"numbers masked, visible text", func(f *facts) string { return f.Document.VisibleText }},
		{"numbers masked, both zones", (*facts).text},
		{"numbers masked, main alone", (*facts).mainText},
	} {
		masked := map[*facts]string{}
		key := func(s *facts, _ int) any {
			if _, done := masked[s]; !done {
				masked[s] = movingText.ReplaceAllString(m.text(s), "#")
			}
			return masked[s]
		}
		all = append(all, method{m.name, func(*item, *furniture) detector { return &byKey{key: key} }})
	}
	return all
}
