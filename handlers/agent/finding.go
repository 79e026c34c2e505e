package agent

import (
	"context"
	"strings"

	"github.com/tidemark/tidemark/pkg/search/passage"

	"github.com/tidemark/tidemark/pkg/api"
)

// fresh holds the inputs that limit how long ago a page may have been verified.
type fresh struct {
	MaxAge  string `json:"maxAge,omitempty" jsonschema:"leave out pages that were not verified within this time, such as 24h, 7d or week"`
	Recheck bool   `json:"recheck,omitempty" jsonschema:"with maxAge: have up to five such pages checked first, instead; needs a key for writing"`
}

func (f fresh) stale() string {
	if f.Recheck {
		return api.StaleRecheck
	}
	return ""
}

type searchInput struct {
	Query    string `json:"query" jsonschema:"the words to search for"`
	Host     string `json:"host,omitempty" jsonschema:"only pages of this host, such as docs.example.com"`
	Tag      string `json:"tag,omitempty" jsonschema:"only pages with this tag"`
	Language string `json:"language,omitempty" jsonschema:"only pages in this language, such as en"`
	Since    string `json:"since,omitempty" jsonschema:"only pages that changed since: a date, a time, or a span such as 1h, 7d or week"`
	Top      int    `json:"top,omitempty" jsonschema:"how many pages, 1 to 100; 10 when left out"`
	Tokens   int    `json:"tokens,omitempty" jsonschema:"the most tokens of the answer, 300 to 16000; 4000 when left out"`
	fresh
}

func (b toolbox) search(ctx context.Context, in searchInput) (*toolAnswer, error) {
	found, err := api.Search.Call(ctx, b.Client, api.SearchRequest{Q: in.Query, Host: in.Host, Tag: in.Tag,
		Language: in.Language, Since: in.Since, Top: in.Top, MaxAge: in.MaxAge, Stale: in.stale()})
	if err != nil {
		return nil, err
	}
	a := newAnswer(in.Tokens)
	a.say("%d pages match, %d are shown, %d were not verified lately.\n", found.Count, len(found.Results),
		found.StaleResults)
	a.note(found.Note)
	for i, r := range found.Results {
		if !a.room() {
			break
		}
		a.say("\n%d. %s %s", i+1, r.Type, r.ID)
		if !r.CheckedAt.IsZero() {
			a.say(", last verified %s", stamp(r.CheckedAt))
		}
		text := headed(r.Title, r.URL)
		for _, p := range r.Passages {
			text += "\n\n"
			if p.Anchor != "" {
				text += passage.Clip(api.Address(r.URL, p.Anchor), 120) + "\n"
			}
			text += p.Text
		}
		a.say("\n")
		a.quote(text)
	}
	return a, nil
}

type retrieveInput struct {
	Question  string   `json:"question,omitempty" jsonschema:"the question, or the words that an answer would have"`
	Questions []string `json:"questions,omitempty" jsonschema:"instead: up to 8 forms or parts of the question, whose answers share the budget"`
	Host      string   `json:"host,omitempty" jsonschema:"only pages of this host, such as docs.example.com"`
	Tag       string   `json:"tag,omitempty" jsonschema:"only pages with this tag"`
	Language  string   `json:"language,omitempty" jsonschema:"only pages in this language, such as en"`
	Tokens    int      `json:"tokens,omitempty" jsonschema:"the most tokens of the answer, 300 to 16000; 4000 when left out"`
	fresh
}

func (b toolbox) retrieve(ctx context.Context, in retrieveInput) (*toolAnswer, error) {
	a := newAnswer(in.Tokens)
	found, err := api.Retrieve.Call(ctx, b.Client, api.RetrieveRequest{Q: in.Question, Queries: in.Questions,
		Tokens: a.left * 3 / 4, Filter: api.RetrieveFilter{Host: in.Host, Tag: in.Tag, Language: in.Language},
		MaxAge: in.MaxAge, Stale: in.stale()})
	if err != nil {
		return nil, err
	}
	a.say("%d passages; %d pages were left out, as they were not verified lately.\n", len(found.Passages), found.Stale)
	a.note(found.Note)
	for i, p := range found.Passages {
		if !a.room() {
			break
		}
		a.say("\n%d. %s, captured %s, last verified %s\n", i+1, p.ItemID, stamp(p.At), stamp(p.CheckedAt))
		a.quote(headed(p.Title, api.Address(p.URL, p.Anchor)) + "\n" +
			passage.Clip(strings.Join(p.HeadingPath, " › "), 60) + "\n\n" + p.Text)
	}
	return a, nil
}
