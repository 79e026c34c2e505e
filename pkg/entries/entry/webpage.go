package entry

import (
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/identity/source"
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
