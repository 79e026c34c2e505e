package crawl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// A page may have been kept before it was known what its host shows instead of 404. The host's row
// names what that is, and each item what it was compared with: where the two differ, the item is
// compared once more, from its snapshot. So an unchanged check costs nothing more, and no page is read
// twice for the same answer of its host.

// markOf names an answer, given what was known before it: a page that looks as it did keeps its name,
// so that a host whose sorry page has a date in it does not have everything judged each week.
func markOf(known absentPage, page string) string {
	var now absentPage
	_ = json.Unmarshal([]byte(page), &now) // ours, or empty
	switch {
	case now.honest():
		return ""
	case known.mark != "" && known.ToRoot == now.ToRoot && (now.ToRoot || known.likes(now)):
		return known.mark
	}
	sum := sha256.Sum256([]byte(page))
	return hex.EncodeToString(sum[:8])
}

// stays closes a check that found the content we hold, unless that is what its host shows for pages
// that do not exist.
func (c *check) stays(ctx context.Context, why string) error {
	if err := c.compareLate(ctx); err != nil || c.outcome != "" {
		return err
	}
	if c.LooksAbsent != "" && c.o.Soft404 {
		return c.missing(ctx, c.LooksAbsent)
	}
	return c.keepPlace(ctx, why)
}

// compareLate compares the stored content with what the host is now known to show for pages that do
// not exist, if it was not yet. A snapshot that cannot be read has failed the check.
func (c *check) compareLate(ctx context.Context) error {
	o, err := originOf(c.fetchURL())
	if err != nil || !c.o.Soft404 || c.Exclusion != "" || isRoot(c.NormalizedSource) || c.batch.Absent[o.scheme] == c.AbsentMark {
		return nil
	}
	c.answered() // the site has said what it has to say
	absent, err := c.knownAbsent(ctx, o)
	if err != nil {
		return err
	}
	looks, err := c.looksLate(ctx, absent)
	if err != nil || c.outcome != "" {
		return err
	}
	c.AbsentMark, c.LooksAbsent = absent.mark, looks
	return nil
}

// knownAbsent is what is known of an origin, from memory or from the registry. Nobody asks the site.
func (c *check) knownAbsent(ctx context.Context, o origin) (absentPage, error) {
	if a, ok := c.absents.get(o, c.o.Clock(), absentTrust); ok && a.mark == c.batch.Absent[o.scheme] {
		return a, nil
	}
	row, err := c.reg.Absent(ctx, c.partition(o), o.scheme, o.host)
	if err != nil {
		return absentPage{}, err
	}
	a := absentOf(row)
	c.absents.put(o, a, c.o.Clock())
	return a, nil
}

// looksLate says how the stored content is like an absent page; "" if it is not.
func (c *check) looksLate(ctx context.Context, absent absentPage) (how string, err error) {
	switch {
	case absent.honest():
		return "", nil
	case absent.ToRoot:
		if len(c.HTTPRedirectChain) > 0 && c.HTTPFinalURL != "" && isRoot(c.HTTPFinalURL) {
			how = WhyToRoot
		}
		return how, nil
	}
	doc, found, err := c.stored(ctx)
	if err == nil && found && doc.VisibleText != "" && absent.likes(describe(doc, c.ContentHash, c.fetchURL())) {
		how = WhySoft404
	}
	return how, err
}

// compared takes note of what new content was compared with, and that it is not like it.
func (c *check) compared(mark string) { c.AbsentMark, c.LooksAbsent = mark, "" }
