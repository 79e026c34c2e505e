package crawl

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

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

// answerOfFile is a file as the answer of a web server.
func answerOfFile(place file.Place, resp file.Response) fetched {
	return fetched{resp: asPage(place, resp), raw: snapshot.Hash(resp.Body), file: &resp}
}

func asPage(place file.Place, resp file.Response) fetch.Response {
	p := fetch.Response{
		Status: http.StatusOK, NotModified: resp.Unchanged, FinalURL: baseOf(place), Header: http.Header{},
		Body: resp.Body, Encoding: resp.Encoding,
	}
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
	path := "/" + strings.TrimPrefix(place.String(), "/")
	return (&url.URL{Scheme: "http", Host: "file.invalid", Path: path}).String()
}

// noteProperties keeps what tells next time that the file is still the same.
func noteProperties(it registry.Item, f file.Response) registry.Item {
	it.FileEtag, it.FileLength, it.FileContentType = bounded(f.ETag), f.Length, bounded(f.ContentType)
	it.FileLastModified = formatModified(f.LastModified)
	return it
}

// formatModified writes a time to the last digit, for it is compared; "" for none.
func formatModified(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

// parseModified reads a time as formatModified writes it.
func parseModified(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// noHash stands for the hash of a file that is too long even for that: its properties alone tell
// when it changes.
const noHash = "unread"

// tooLarge takes note of a file that is too large to be read: it is known by its hash, and not
// searched.
func tooLarge(it registry.Item, got fetched, now time.Time) (registry.Item, outcome) {
	f := got.file
	same := f.RawHash != "" && f.RawHash == it.RawHash
	it = noteProperties(it, *f)
	it.Unreadable = registry.Unreadable{}
	if same {
		return it, unchanged("other properties, the same bytes")
	}
	it.RawHash, it.TextHash, it.LastChanged = cmp.Or(f.RawHash, noHash), "", now
	it.ContentHash, it.States = it.RawHash, nil // of what it says nothing is known
	it.Exclusion = fmt.Sprintf("%d bytes are too many to extract text from", f.Length)
	it.Record(now, "changed", "too large to be read, known by its hash")
	return it, outcome{kind: schedule.Changed, refresh: true}
}
