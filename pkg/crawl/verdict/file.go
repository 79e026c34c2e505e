package verdict

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// FileLocation returns the exact location of an item's file. The identity of the item is not enough, because a
// container distinguishes a/b from a//b.
func FileLocation(it *registry.Item) (file.Location, error) {
	if place, err := file.Parse(it.DisplaySource); err == nil && place.Normalized() == it.NormalizedSource {
		return place, nil
	}
	return file.Parse(it.NormalizedSource)
}

// FileName returns the name of an item's file for the names of its chunks. The root is FILE_ROOT. The name is empty
// for a page, and for a file whose address can no longer be parsed.
func FileName(it *registry.Item, root string) chunk.Name {
	if it.Type != source.File {
		return chunk.Name{}
	}
	place, err := FileLocation(it)
	if err != nil {
		return chunk.Name{}
	}
	space, path := place.Name(root)
	return chunk.Name{Namespace: cmp.Or(space, chunk.Namespace), Path: path}
}

// FileAnswer describes a file as if a web server had sent it.
func FileAnswer(place file.Location, resp file.Response) Answer {
	return Answer{Response: asPage(place, resp), Raw: snapshot.Hash(resp.Body), File: &resp}
}

func asPage(place file.Location, resp file.Response) fetch.Response {
	p := fetch.Response{
		Status: http.StatusOK, NotModified: resp.Unchanged, FinalURL: baseOf(place), Header: http.Header{},
		Body: resp.Body, Encoding: resp.Encoding,
	}
	if resp.ContentType != "" {
		p.Header.Set("Content-Type", resp.ContentType)
	}
	return p
}

// baseOf returns the address that links in a file are relative to. A local folder has no web address, so links in its
// files lead nowhere.
func baseOf(place file.Location) string {
	if place.Kind() != file.Local {
		return place.String()
	}
	path := "/" + strings.TrimPrefix(place.String(), "/")
	return (&url.URL{Scheme: "http", Host: "file.invalid", Path: path}).String()
}

// noteProperties records the properties that the next check compares to recognize an unchanged file.
func noteProperties(it registry.Item, f file.Response) registry.Item {
	it.FileEtag, it.FileLength, it.FileContentType = Bounded(f.ETag), f.Length, Bounded(f.ContentType)
	it.FileLastModified, it.Validators.Recent = formatModified(f.LastModified), f.Recent
	return it
}

// formatModified formats a time; "" for the zero time. It keeps full precision, because the text is compared.
func formatModified(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

// parseModified parses a time that formatModified wrote.
func parseModified(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// noHash is recorded instead of a hash for a file that is too large even to be hashed. For such a file, only the
// properties show a change.
const noHash = "unread"

// tooLarge decides about a file that is too large to be read. The file is identified by its hash and is not
// searchable.
func tooLarge(it registry.Item, got Answer, now time.Time) (registry.Item, Outcome) {
	f := got.File
	n := News{Kind: change.Bytes, Why: "the bytes are different; the file is too large to be read"}
	if it.ContentHash == "" {
		n = News{Kind: change.New, Why: change.New.Why(change.Extent{})}
	}
	verb := "are"
	if f.WireBytes > 0 {
		verb = "unpack to"
	}
	same := f.RawHash != "" && f.RawHash == it.RawHash
	it = noteProperties(it, *f)
	it.Unreadable = registry.Unreadable{}
	if same {
		return it, Unchanged("other properties, the same bytes")
	}
	it.RawHash, it.TextHash, it.LastChanged = cmp.Or(f.RawHash, noHash), "", now
	it.Validators.Body = ""
	it.ContentHash, it.States, it.MainState = it.RawHash, nil, nil // the text of the file is not known
	it.Exclusion = fmt.Sprintf("%d bytes %s too many to extract text from", f.Length, verb)
	it.Record(now, "changed", "too large to be read, known by its hash")
	return it, Outcome{Kind: schedule.Changed, News: n, Refresh: true}
}
