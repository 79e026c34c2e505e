// Package passage chooses, from the results of several searches, the passages that a language model gets to read. It
// chooses the passages that rank best over all searches, as many as fit in a budget of tokens, and each text only
// once. It joins passages that follow each other on a page. The package is pure: it does no input or output.
package passage

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/search"
)

// Passage is a whole chunk, or several consecutive chunks.
type Passage struct {
	Page    search.Result // the page, without its passages
	UIDs    []string      // of the chunks, in order
	Heading []string      // outermost first
	Anchor  string        // anchor of the first chunk
	Zone    string        // zone of the chunks
	Text    string
	Score   float64
}

// fusionK is the constant of reciprocal rank fusion (https://doi.org/10.1145/1571941.1572114). The larger the
// constant, the smaller the difference between the scores of neighbouring ranks.
const fusionK = 60

// Fuse ranks the passages of several searches. The score of a passage is the sum of 1/(60+rank) over the searches
// that found the passage. In each search, the rank of a passage is the rank of its page, plus one for each better
// passage of the same page.
func Fuse(rankings ...[]search.Result) []Passage {
	var all []Passage
	at := map[[2]string]int{}
	for _, results := range rankings {
		for i, r := range results {
			for j, p := range r.Passages {
				key := [2]string{r.ID, p.ChunkUID}
				n, known := at[key]
				if !known {
					n = len(all)
					at[key] = n
					page := r
					page.Passages = nil
					all = append(all, Passage{Page: page, UIDs: []string{p.ChunkUID}, Heading: chunk.HeadingPath(p.Heading),
						Anchor: p.Anchor, Zone: p.Zone,
						Text: p.Text})
				}
				all[n].Score += 1 / float64(fusionK+i+j+1)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Passage) int { return cmp.Compare(b.Score, a.Score) })
	return all
}

// Tokens estimates the number of tokens in a passage: in its text and its headings.
func (p Passage) Tokens() int {
	return chunk.Tokens(p.Text) + chunk.Tokens(strings.Join(p.Heading, " "))
}

// Fit selects the best passages that together fit in a budget of tokens. It skips a text that is already selected, or
// is part of a selected text. If the best passage alone exceeds the budget, Fit cuts this passage, so that the result
// is never empty.
func Fit(ranked []Passage, tokens int) []Passage {
	var taken []Passage
	var texts []string
	for _, p := range ranked {
		text := strings.Join(strings.Fields(p.Text), " ")
		if slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, text) }) {
			continue
		}
		n := p.Tokens()
		if n > tokens && len(taken) == 0 {
			p.Text = Clip(p.Text, tokens-chunk.Tokens(strings.Join(p.Heading, " ")))
			n = p.Tokens()
		}
		if n <= tokens {
			tokens -= n
			taken, texts = append(taken, p), append(texts, text)
		}
	}
	return taken
}

// Ellipsis ends a text that [Clip] shortened.
const Ellipsis = " …"

// Clip shortens a text to about the given number of tokens. The shortened text ends at the end of a line or word,
// followed by an [Ellipsis].
func Clip(text string, tokens int) string {
	if chunk.Tokens(text) <= tokens {
		return text
	}
	from, to := 0, len(text) // the longest beginning within the budget ends between these two offsets
	for to-from > 1 {
		if mid := (from + to) / 2; chunk.Tokens(text[:mid]) < tokens {
			from = mid
		} else {
			to = mid
		}
	}
	cut := strings.ToValidUTF8(text[:from], "")
	if at := strings.LastIndexAny(cut, " \n"); at > len(cut)/2 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " \n") + Ellipsis
}

// Position is the position of a passage on its page. Ordinals number the chunks of a page in order.
type Position struct {
	First, Last int // ordinals
	Start, End  int // range in the page's text
}

// Append adds what follows a passage, below its last heading if it has another one. Before is the text that comes last
// in the passage, and the path of its headings.
func (p *Passage) Append(before, next Passage) {
	if n := len(next.Heading); n > 0 && !slices.Equal(before.Heading, next.Heading) {
		p.Text += "\n\n" + next.Heading[n-1]
	}
	p.Text += between(before.Text, next.Text)
	p.UIDs = append(p.UIDs, next.UIDs...)
	p.Anchor = cmp.Or(p.Anchor, next.Anchor)
}

// between returns the part of a passage that is added to the passage before it. Parts of one table have its header
// once.
func between(before, text string) string {
	header := chunk.TableHeader(text)
	if header != "" && chunk.TableHeader(before) == header {
		return strings.TrimPrefix(text, header)
	}
	return "\n\n" + text
}

// Merge joins passages that follow each other on a page. The joined passage gets the rank of the best of them. The
// function position returns the position of a passage. Passages without a position are not joined.
func Merge(taken []Passage, position func(Passage) (Position, bool)) []Passage {
	type positioned struct {
		Passage
		at   Position
		best int
	}
	var known []positioned
	var out []positioned
	for i, p := range taken {
		if at, ok := position(p); ok {
			known = append(known, positioned{p, at, i})
		} else {
			out = append(out, positioned{p, Position{}, i})
		}
	}
	slices.SortStableFunc(known, func(a, b positioned) int {
		return cmp.Or(cmp.Compare(a.Page.ID, b.Page.ID), cmp.Compare(a.at.First, b.at.First))
	})
	for i, p := range known {
		if i == 0 || known[i-1].Page.ID != p.Page.ID || known[i-1].at.Last+1 != p.at.First ||
			known[i-1].Zone != p.Zone || known[i-1].at.End > p.at.Start {
			p.UIDs = slices.Clone(p.UIDs)
			out = append(out, p)
			continue
		}
		last := &out[len(out)-1]
		last.Append(known[i-1].Passage, p.Passage)
		last.Score, last.best = max(last.Score, p.Score), min(last.best, p.best)
	}
	slices.SortFunc(out, func(a, b positioned) int { return a.best - b.best })
	merged := make([]Passage, len(out))
	for i, p := range out {
		merged[i] = p.Passage
	}
	return merged
}
