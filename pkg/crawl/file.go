package crawl

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/file"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/schedule"
	"github.com/tidemark/tidemark/pkg/source"
)

// checkFile is [check.run] for a file: its properties are asked first, and its bytes only when
// they differ (A9). A file that is read goes the way of a page.
func (c *check) checkFile(ctx context.Context) error {
	place, err := placeOf(&c.Item)
	switch {
	case err != nil:
		c.fail("%v", err)
		return nil
	case c.o.Files == nil:
		c.fail("files cannot be read here")
		return nil
	case place.Whole():
		return c.checkContainer(ctx, place)
	}
	resp, answered, err := c.getFile(ctx, place)
	if err != nil || !answered {
		return err
	}
	c.answered()
	c.file = &resp
	switch {
	case resp.Unchanged && c.knowsUnreadable():
		c.failAsBefore()
		return nil
	case resp.Unchanged:
		c.unchanged("the file's properties are those we know")
		return nil
	case resp.TooLarge:
		return c.keepHash(ctx, resp)
	}
	return c.compare(ctx, asPage(place, resp))
}

// placeOf is where an item's file is, to the letter: the identity does not tell apart a/b and a//b,
// which a container does.
func placeOf(it *registry.Item) (file.Place, error) {
	if place, err := file.Parse(it.DisplaySource); err == nil && place.Normalized() == it.NormalizedSource {
		return place, nil
	}
	return file.Parse(it.NormalizedSource)
}

// pathOf is the path of an item's file within its container; empty for a page, and for a file of an
// address that is read no more.
func pathOf(it *registry.Item) string {
	if it.Type != source.File {
		return ""
	}
	place, err := placeOf(it)
	if err != nil {
		return ""
	}
	return place.Path()
}

// getFile reads a file. One that is not there, or that cannot be read, is recorded here.
func (c *check) getFile(ctx context.Context, place file.Place) (resp file.Response, answered bool, err error) {
	req := file.Request{Place: place, Credential: c.Credential, Known: c.sameFile()}
	if err := c.wait(ctx); err != nil {
		return resp, false, err
	}
	resp, err = c.o.Files.Get(ctx, req)
	c.bytes.Add(int64(len(resp.Body)))
	switch {
	case err == nil:
		return resp, true, nil
	case fault.Is(err, fault.NotFound):
		return resp, false, c.missing(ctx, "the file is not there")
	}
	c.retryAfter = fault.RetryAfter(err)
	c.fail("%v", err)
	return resp, false, nil
}

// unread stands for the hash of a file that is too long even for that: its properties alone tell
// when it changes.
const unread = "unread"

// asPage is a file as the answer of a web server.
func asPage(place file.Place, resp file.Response) fetch.Response {
	p := fetch.Response{Status: http.StatusOK, FinalURL: baseOf(place), Header: http.Header{}, Body: resp.Body, Encoding: resp.Encoding}
	if resp.ContentType != "" {
		p.Header.Set("Content-Type", resp.ContentType)
	}
	return p
}

// baseOf is what links in a file are relative to. A folder has no address, so in it they lead
// nowhere.
func baseOf(place file.Place) string {
	if place.Kind() != file.Local {
		return place.String()
	}
	return (&url.URL{Scheme: "http", Host: "file.invalid", Path: "/" + strings.TrimPrefix(place.String(), "/")}).String()
}

// noteProperties keeps what tells next time that the file is still the same.
func (c *check) noteProperties() {
	c.FileEtag, c.FileLength, c.FileContentType = bounded(c.file.ETag), c.file.Length, bounded(c.file.ContentType)
	c.FileLastModified = ""
	if !c.file.LastModified.IsZero() {
		c.FileLastModified = c.file.LastModified.Format(time.RFC3339Nano) // to the last digit: it is compared
	}
}

// modified reads a time as noteProperties writes it.
func modified(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// keepHash takes note of a file that is too large to be read: it is known by its hash, and not
// searched.
func (c *check) keepHash(ctx context.Context, resp file.Response) error {
	now := c.o.Clock()
	same := resp.RawHash != "" && resp.RawHash == c.RawHash
	c.noteProperties()
	c.Unreadable = registry.Unreadable{}
	if same {
		c.unchanged("other properties, the same bytes")
		return nil
	}
	c.outcome, c.LastChanged = schedule.Changed, now
	c.RawHash, c.TextHash = cmp.Or(resp.RawHash, unread), ""
	c.ContentHash = c.RawHash
	c.Exclusion = fmt.Sprintf("%d bytes are too many to extract text from", resp.Length)
	c.Record(now, "changed", "too large to be read, known by its hash")
	return c.keepOut(ctx, c.Exclusion)
}
