package notify

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/feed"
)

// sampleID is the id of a change that is made up.
const sampleID = "sample"

// sample makes up a change that a rule would send, for a rule that has matched none. ok is false if it finds none.
func (r *rule) sample(ctx context.Context, found *survey, now time.Time) (out api.FeedChange, ok bool) {
	c := feed.Change{At: now, ItemID: "url_sample", Type: "url", Host: "shop.example", URL: "https://shop.example/lamp",
		Title: "Storm lamp", Tags: []string{"sample"}, Kind: feed.Content, WordsAdded: 1, WordsRemoved: 1,
		Share: max(0.12, r.Filter.MinShare)}
	var p Facts
	if found.first != nil {
		p = *found.first
		c.ItemID, c.Type, c.Host, c.URL, c.Title = p.Page.ItemID, p.Page.Type, p.Page.Host, p.Page.URL, p.Page.Title
		c.Tags = p.Page.Tags
	} else {
		r.fit(&c)
	}
	kinds := kindsOf(r.Filter.Kind)
	if r.When != nil {
		kinds = []api.ChangeKind{api.ChangeField}
		kept, _ := p.Fields.Field(r.when.Field())
		of := cmp.Or(p.Types[r.when.Field()], kept.Last.Value.Type, field.DeclaredType(r.when.Field()), field.Number)
		f, ok := r.when.Sample(of, kept.Last.Value)
		if c.Fields = []field.Change{f}; !ok {
			return out, false
		}
	}
	if len(kinds) > 0 && !slices.Contains(kinds, api.ChangeContent) {
		c.Kind = feed.Kind(kinds[0])
	}
	r.word(&c)
	left := maxEffort
	if met, err := r.wants(ctx, c, &left); err != nil || !met {
		return out, false
	}
	out = r.shown(c)
	out.ID = sampleID
	return out, true
}

// fit gives a made-up change the host, the tag and the words that a rule asks for.
func (r *rule) fit(c *feed.Change) {
	c.Host = cmp.Or(r.Filter.Host, r.items.host, c.Host)
	c.Type = cmp.Or(r.Filter.Type, c.Type)
	c.URL = "https://" + c.Host + "/lamp"
	if tag := cmp.Or(r.Filter.Tag, r.items.tag); tag != "" {
		c.Tags = []string{tag}
	}
	for _, word := range r.items.words {
		c.Title += " " + word
	}
	if r.Filter.ItemID != "" {
		c.ItemID, c.URL, c.Title = r.Filter.ItemID, cmp.Or(r.URL, c.URL), cmp.Or(r.Title, c.Title)
	}
}

// word gives a made-up change a text, unless its kind has none, with the words that a rule seeks, as far as they are
// plain.
func (r *rule) word(c *feed.Change) {
	switch {
	case c.Kind == feed.Listed:
		c.Entry = &feed.Entry{Title: "A new entry", URL: c.URL}
		return
	case c.Kind == feed.Field || !slices.Contains(withText, api.ChangeKind(c.Kind)):
		return
	}
	added, removed := "Price: 84 EUR", "Price: 79 EUR"
	if r.Filter.Added+r.Filter.Removed+r.Filter.Q != "" {
		added, removed = "Price: 84 EUR "+r.Filter.Added+" "+r.Filter.Q, "Price: 79 EUR "+r.Filter.Removed
	}
	c.Passages = []feed.Passage{{Text: removed, Op: feed.Removed, Fact: true}, {Text: added, Op: feed.Added, Fact: true}}
}
