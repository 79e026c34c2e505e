package search

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Check returns Invalid, with the name of the field, for a page that no index accepts. Adapters must call it before
// they write anything.
func (p Page) Check() error {
	if !IsKey(p.ID) {
		return fault.Field("id", "page id %.40q is not 1 to %d letters, digits, - and =, or _ after the first", p.ID, MaxKey)
	}
	if len(p.Chunks) > MaxChunks {
		return fault.Field("chunks", "page %s has more than %d chunks", p.ID, MaxChunks)
	}
	if len(p.Tags) > MaxTags || slices.ContainsFunc(p.Tags, func(t string) bool {
		return t == "" || len(t) > MaxTag || strings.Contains(t, "\n")
	}) {
		return fault.Field("tags",
			"page %s has more than %d tags, or one that is empty, longer than %d bytes or of two lines", p.ID, MaxTags, MaxTag)
	}
	seen := make(map[string]bool, len(p.Chunks))
	for _, c := range p.Chunks {
		if !IsKey(c.Key) || seen[c.Key] {
			return fault.Field("chunks",
				"page %s: chunk key %.40q is empty, doubled, longer than %d bytes or has characters other than letters, digits, "+
					"-, = and _", p.ID, c.Key, MaxKey)
		}
		if c.UID == "" || len(c.UID) > MaxUID {
			return fault.Field("chunks", "page %s: chunk uid %.40q is empty or longer than %d bytes", p.ID, c.UID, MaxUID)
		}
		seen[c.Key] = true
	}
	return p.checkImages()
}

func (p Page) checkImages() error {
	if len(p.Images) > MaxImages {
		return fault.Field("images", "page %s has more than %d images", p.ID, MaxImages)
	}
	seen := make(map[string]bool, len(p.Images))
	for _, img := range p.Images {
		if !IsKey(img.ID) || seen[img.ID] {
			return fault.Field("images",
				"page %s: image id %.40q is empty, doubled, longer than %d bytes or has characters other than letters, digits, "+
					"-, = and _", p.ID, img.ID, MaxKey)
		}
		if len(img.Src) > MaxImageSrc || max(len(img.Alt), len(img.Title), len(img.Caption)) > MaxImageText {
			return fault.Field("images",
				"page %s: the address of image %s has more than %d bytes, or one of its texts more than %d", p.ID, img.ID,
				MaxImageSrc, MaxImageText)
		}
		seen[img.ID] = true
	}
	return nil
}

// IsKey reports whether s may be a document key, or part of one, in Azure AI Search
// (https://learn.microsoft.com/rest/api/searchservice/naming-rules). All engines require such keys, so that an index
// can move to Azure.
func IsKey(s string) bool {
	if s == "" || len(s) > MaxKey || s[0] == '_' {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '='
	}) < 0
}

// Check returns Invalid, with the name of the field, for a query that no index accepts.
func (q Query) Check() error {
	switch {
	case q.Top < 1 || q.Top > MaxTop:
		return fault.Field("top", "top must be 1 to %d", MaxTop)
	case q.Skip < 0 || q.Skip > MaxSkip:
		return fault.Field("skip", "skip must be 0 to %d", MaxSkip)
	case utf8.RuneCountInString(q.Text) > MaxQueryRunes:
		return fault.Field("q", "query is longer than %d characters", MaxQueryRunes)
	}
	return nil
}

// CheckTyped returns Invalid for typed text that is too long to complete.
func CheckTyped(typed string) error {
	if utf8.RuneCountInString(typed) > MaxSuggestRunes {
		return fault.Field("q", "what is completed is longer than %d characters", MaxSuggestRunes)
	}
	return nil
}

// PathOf returns the path of a page's address, or of a file, in the form that [Query.Path] is compared with: in
// ASCII, with a leading slash. It returns "" if there is no address.
func PathOf(address string) string {
	if address == "" {
		return ""
	}
	u, err := url.Parse(address)
	if err != nil {
		u = &url.URL{Path: address}
	}
	return "/" + strings.TrimPrefix(u.EscapedPath(), "/")
}

// PathRange returns the range [from, to) of all paths with the given prefix. The upper bound ends with a character
// that occurs in no path and sorts after all others.
func PathRange(prefix string) (from, to string) {
	from = PathOf(prefix)
	return from, from + "\u00ff"
}
