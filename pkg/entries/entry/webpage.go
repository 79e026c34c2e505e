package entry

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"golang.org/x/text/unicode/norm"
)

// Webpage is the text of a page (spec 001 API: webpage). At least one of Text, CleanText and CaptureText is given;
// those that are not given are nil.
type Webpage struct {
	Text, CleanText, CaptureText *string
	ContentType                  string
	URL, URLCanonical            string
	Excerpt                      string // used instead of an excerpt that is made from the text
}

// FromWebpage is the source of an entry that has only the text of a page.
const FromWebpage = "webpage"

// NormalizeWebpage makes the columns of a page's text, without an identity. The columns may become an entry of their
// own, or may be added to an existing entry, whose source then stays as it is. For a text that is empty after
// cleaning, it sets retrieval_update_skipped, and no column that could overwrite an earlier text. Errors: Invalid,
// with the name of a field.
func NormalizeWebpage(p Webpage, rules source.Rules) (Fields, error) {
	out := Fields{"source": FromWebpage}
	if err := p.address(out, rules); err != nil {
		return nil, err
	}
	extracted, clean, err := p.texts()
	if err != nil {
		return nil, err
	}
	if p.ContentType != "" {
		out["content_type"] = p.ContentType
	}
	if p.CaptureText != nil {
		out["capture_text"] = *p.CaptureText
	}
	out["extracted_text"], out["clean_text"] = extracted, clean
	if clean == "" {
		out[skippedField] = true
	} else {
		out.add(retrieval(extracted, clean, p.Excerpt))
	}
	out.setKeys(Keys{})
	return out, out.Check()
}

// texts returns the extracted and the clean text.
func (p Webpage) texts() (extracted, cleaned string, err error) {
	given := p.Text
	for _, other := range []*string{p.CleanText, p.CaptureText} {
		if given == nil {
			given = other
		}
	}
	if given == nil {
		return "", "", fault.Field("text", "text is missing: give the text that was extracted from the page")
	}
	if err := checkLong("text", *given); err != nil {
		return "", "", err
	}
	if p.CleanText != nil {
		return *given, clean(*p.CleanText), nil
	}
	return *given, words.Clip(cleanPage(*given), maxLong), nil
}

func (p Webpage) address(out Fields, rules source.Rules) error {
	for _, given := range []struct{ name, raw string }{{"url", p.URL}, {"url_canonical", p.URLCanonical}} {
		if given.raw == "" {
			continue
		}
		l, err := parseLink(given.raw, rules)
		if err != nil {
			return fault.Field(given.name, "%w", err)
		}
		if given.name == "url" {
			out["url"] = l.url
		}
		out["url_canonical"] = l.canonical
	}
	return nil
}

// clean returns a text in the form in which texts are compared and shown: one kind of line end, no invisible
// characters, single spaces within lines, single blank lines between paragraphs, composed characters (NFC). Cleaning
// a clean text again changes nothing.
func clean(text string) string {
	lines := strings.Split(lineEnds.Replace(strings.ToValidUTF8(text, "\ufffd")), "\n")
	// An invisible character can stand between a letter and its accent, so characters are composed last.
	return norm.NFC.String(layout(lines, func(string) bool { return true }))
}

// lineEnds replaces every kind of line end, including page breaks and Unicode's separators, by a newline.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\f", "\n", "\v", "\n", "\u2028", "\n", "\u2029", "\n\n",
	"\u0085", "\n")

// layout joins those lines for which the given function returns true. It folds each line, and leaves at most one
// blank line between two lines.
func layout(lines []string, keep func(line string) bool) string {
	var b strings.Builder
	blank := false
	for _, line := range lines {
		line = dom.Fold(line)
		if line == "" || !keep(line) {
			blank = blank || line == ""
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
			if blank {
				b.WriteByte('\n')
			}
		}
		blank = false
		b.WriteString(line)
	}
	return b.String()
}

// cleanPage is like clean, but also removes what surrounds the content of a page: lines without a letter or digit,
// lines that repeat the line before them, and lines that consist of a control of the page.
func cleanPage(text string) string {
	last := ""
	return layout(strings.Split(clean(text), "\n"), func(line string) bool {
		if line == last || countWords(line) == 0 || chrome[strings.Trim(strings.ToLower(line), " .!:›»→…")] {
			return false
		}
		last = line
		return true
	})
}

// chrome contains lines that belong to a page's controls, not to its text.
var chrome = map[string]bool{}

func init() {
	for line := range strings.SplitSeq("accept|accept all|accept all cookies|accept cookies|reject all|manage "+
		"cookies|cookie settings|"+
		"we use cookies|skip to content|skip to main content|skip to navigation|advertisement|advertising|sponsored|"+
		"share|share this|share this article|share on facebook|share on twitter|share on x|share on linkedin|tweet|copy "+
		"link|print|"+
		"sign in|log in|sign up|subscribe|subscribe now|menu|search|close|back to top|home|"+
		"alle akzeptieren|anzeige|zum inhalt springen|teilen|drucken|anmelden", "|") {
		chrome[line] = true
	}
}
