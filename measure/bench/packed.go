package main

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/search"
)

// packed is the baseline for the splitter. It fills one chunk after another with lines, up to the budget, from the
// top of the page or, with byHeading, from each heading. The names of its chunks depend only on their words, so that
// unchanged chunks need not be written, as with the product's splitter.
func packed(blocks []extract.Block, byHeading bool) (chunks []search.Chunk) {
	var text strings.Builder
	var above []extract.Block // the headings above the present line
	tokens, heading, seen := 0, "", map[string]int{}
	flush := func() {
		if tokens > 0 {
			sum := sha256.Sum256([]byte(heading + "\x00" + text.String()))
			key := hex.EncodeToString(sum[:16])
			seen[key]++
			key += "-" + strconv.Itoa(seen[key])
			chunks = append(chunks, search.Chunk{Key: key, UID: key, Heading: heading, Text: text.String()})
		}
		text.Reset()
		tokens = 0
	}
	for _, b := range blocks {
		if byHeading && b.Kind == extract.Heading {
			flush()
			above, heading = below(above, b)
			continue
		}
		for line := range strings.SplitAfterSeq(b.Text+extract.Separator, "\n") {
			n := chunk.Tokens(line)
			if tokens+n > chunk.Budget {
				flush()
			}
			text.WriteString(line)
			tokens += n
		}
	}
	flush()
	return chunks
}

// below returns the headings above the text that follows b, and the path of these headings.
func below(above []extract.Block, b extract.Block) ([]extract.Block, string) {
	for len(above) > 0 && above[len(above)-1].Level >= b.Level {
		above = above[:len(above)-1]
	}
	above = append(above, b)
	var path []string
	for _, h := range above {
		path = append(path, h.Text)
	}
	return above, strings.Join(path, " › ")
}

// packs reports whether the chunks of a way have no uids.
func (w way) packs() bool { return strings.HasPrefix(w.name, "packed") }
