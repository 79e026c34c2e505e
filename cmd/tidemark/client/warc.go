package client

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/warc"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

const warcHelp = `warc [ID|SOURCE]
Write captures as a WARC file

Write the captures of one source, or of all sources of a host, as a WARC 1.1 file,
which web archives and their tools read.

Each capture is a response record. A check that found the same bytes is a revisit
record, if the history of the source still has it: the history keeps about 30
decisions. Every return to an earlier capture is included. The same state gives the
same file. The file is compressed unless its name ends in .warc; "-" writes to
standard output. Of a page that was rendered, the response has what the site sent, and
a conversion record what the browser showed.

  tidemark warc https://example.com/news
  tidemark warc --host example.com -o example.warc.gz
  tidemark warc url_k7gxn3… -o - | zcat | less`

func warcCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var host, file string
	cmd := command.New(warcHelp, nil, func(ctx context.Context, args []string) error {
		if len(args) > 1 || (len(args) == 1) == (host != "") {
			return command.Usagef("give one id or source, or --host")
		}
		return writeWARC(ctx, t, s, strings.Join(args, ""), host, file)
	})
	command.HostFlag(cmd.Flags(), &host, "all sources of this `HOST`")
	cmd.Flags().StringVarP(&file, "output", "o", "", "`FILE` to write; the id or host with .warc.gz by default")
	return cmd
}

// writeWARC writes the file of one source or of a host.
func writeWARC(ctx context.Context, t *terminal.Terminal, s *command.Server, name, host, file string) error {
	a := &archive{t: t, client: s.Silent()}
	of, items := host, a.ofHost(host)
	if host == "" {
		item, err := itemFrom(ctx, s, a.client, name)
		if err != nil {
			return err
		}
		of = item.ID
		items = func(_ context.Context, do func(api.ItemDetail) error) error { return do(item) }
	}
	file = cmp.Or(file, fileName(of))
	err := toFile(t, file, func(out io.Writer) error {
		a.w = warc.NewWriter(out, !strings.HasSuffix(file, ".warc"))
		if err := items(ctx, func(item api.ItemDetail) error { return a.add(ctx, item) }); err != nil {
			return err
		}
		if a.Responses == 0 {
			return errors.New("nothing is captured that could be written")
		}
		return nil
	})
	if err != nil {
		return err
	}
	return a.sum(file)
}

// oddCharacter matches a character that not every file system accepts.
var oddCharacter = regexp.MustCompile(`[^a-z0-9._-]`)

// fileName returns a name that every file system accepts.
func fileName(of string) string {
	return strings.TrimLeft(oddCharacter.ReplaceAllString(strings.ToLower(of), "_"), ".") + ".warc.gz"
}

// toFile writes a file that appears under its name only when it is complete.
func toFile(t *terminal.Terminal, name string, write func(io.Writer) error) error {
	if name == "-" {
		if t.Screen.Terminal {
			return command.Usagef("this is no text for a terminal: name a file with -o")
		}
		return write(t.Out)
	}
	return replaceFile(name, write)
}

// replaceFile writes a file that is never seen half written.
func replaceFile(name string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".tidemark-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails if all went well, because the file was renamed
	out := bufio.NewWriterSize(f, 1<<16)
	if err := errors.Join(write(out), out.Flush(), f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// An archive is a WARC file that is being written.
type archive struct {
	t      *terminal.Terminal
	client *api.Client
	headed bool
	w      *warc.Writer
	written
}

// written counts what an archive holds.
type written struct {
	File      string `json:"file"`
	Sources   int    `json:"sources"`
	Responses int    `json:"responses"`
	Revisits  int    `json:"revisits"`
	Rendered  int    `json:"rendered,omitempty"` // pages as a browser showed them
	Bytes     int64  `json:"bytes"`              // bytes of the captured bodies
	Skipped   int    `json:"skipped"`            // number of records that could not be written
}

// ofHost returns a function that calls its argument with each item of a host. The returned function reads the listing
// page by page, and shows the number of items as progress.
func (a *archive) ofHost(host string) func(context.Context, func(api.ItemDetail) error) error {
	return func(ctx context.Context, do func(api.ItemDetail) error) error {
		shown := a.t.Bar(-1, "archiving "+host)
		defer shown.End()
		known := false
		for page, err := range a.client.Pages(ctx, api.ItemQuery{Host: host}) {
			if err != nil {
				return err
			}
			known = known || len(page.Items) > 0
			for _, it := range page.Items {
				item, err := api.GetItem.Call(ctx, a.client, api.ItemID{ID: it.ID})
				if isUnknown(err) {
					continue // the item was purged after it was listed
				}
				if err == nil {
					err = do(item)
				}
				if err != nil {
					return err
				}
				shown.Add(1)
			}
		}
		if !known {
			return fmt.Errorf("nothing is registered for the host %q", host)
		}
		return nil
	}
}

// add writes the records of an item's answers.
func (a *archive) add(ctx context.Context, item api.ItemDetail) error {
	if item.Type == api.TypeFile {
		a.skip(item, "a file has no HTTP answers to be archived")
		return nil
	}
	if err := a.client.Past(ctx, &item); err != nil {
		return err
	}
	records := map[string]warc.Record{}
	for _, e := range eventsOf(item) {
		if err := a.begin(e); err != nil {
			return err
		}
		if err := a.record(ctx, item, e, records); err != nil {
			return err
		}
	}
	if len(records) > 0 {
		a.Sources++
	}
	return nil
}

// begin writes the record about this program, once. The record's time is that of the first event, so that the same
// state gives the same file.
func (a *archive) begin(e event) error {
	if a.headed {
		return nil
	}
	a.headed = true
	return a.w.Info(warc.Info{At: e.at, Fields: []warc.Field{
		{Name: "software", Value: "Tidemark/" + app.Version + " (tidemark warc)"},
	}})
}

// record writes one event. An event that cannot be written is reported and skipped.
func (a *archive) record(ctx context.Context, item api.ItemDetail, e event, records map[string]warc.Record) error {
	uri := cmp.Or(e.capture.FetchURL, item.NormalizedSource)
	if e.revisit {
		of, ok := records[e.capture.SHA256]
		if !ok {
			return nil // the error was already reported with the capture
		}
		a.Revisits++
		return a.w.Revisit(warc.Revisit{URI: uri, At: e.at, NotModified: e.claimed, Of: of})
	}
	body, err := a.client.Capture(ctx, item.ID, e.capture.SHA256)
	sent := body
	if err == nil && e.capture.PlainSHA256 != "" {
		sent, err = a.client.SentCapture(ctx, item.ID, e.capture)
	}
	if isUnknown(err) {
		a.skip(item, "capture "+e.capture.SHA256+" is not kept any more")
		return nil
	}
	if err != nil {
		return err
	}
	r, err := a.w.Response(warc.Response{
		URI: uri, At: e.at, Status: e.capture.StatusCode, Header: e.capture.Header, Body: bytes.NewReader(sent),
	})
	if err == nil && e.capture.PlainSHA256 != "" {
		a.Rendered++
		err = a.w.Conversion(warc.Conversion{At: e.at, Of: r, Type: snapshot.RenderedType, Body: bytes.NewReader(body)})
	}
	if fault.Refused(err) {
		a.skip(item, err.Error())
		return nil
	}
	records[e.capture.SHA256] = r
	a.Responses, a.Bytes = a.Responses+1, a.Bytes+int64(len(sent))
	return err
}

func (a *archive) skip(item api.ItemDetail, why string) {
	a.Skipped++
	a.t.Note("%s: %s", item.ID, why)
}

// sum prints a summary of what was written.
func (a *archive) sum(file string) error {
	a.File = file
	if file != "-" && a.t.JSON {
		if err := json.NewEncoder(a.t.Out).Encode(a.written); err != nil {
			return err
		}
	}
	a.t.SayWhen(file != "-", "%s: %s of %s, %s, %s bytes", file, words.Count(a.Responses, "capture"),
		words.Count(a.Sources, "source"), words.Count(a.Revisits, "revisit"), words.Thousands(int(a.Bytes)))
	if a.Skipped > 0 {
		return command.ErrReported
	}
	return nil
}

// An event is one answer of a source. The bytes of the answer are stored.
type event struct {
	at      time.Time
	capture api.Capture
	// revisit means that the bytes were already stored. claimed means that the source said so and sent no bytes.
	revisit, claimed bool
}

// eventsOf derives an item's answers from its captures, edges and history, oldest first: each capture, each return to
// an earlier capture, and each check that found the same bytes, or the first and the last of several in a row. A check
// that found other bytes with the same content gives no event, because those bytes were not stored.
func eventsOf(item api.ItemDetail) []event {
	bySHA := map[string]api.Capture{}
	var out []event
	for _, c := range slices.Backward(item.Captures) { // oldest first
		if _, known := bySHA[c.SHA256]; known {
			continue // the capture has the same answer, extracted again by other rules
		}
		bySHA[c.SHA256] = c
		out = append(out, event{at: c.CapturedAt, capture: c})
	}
	for _, e := range item.Lineage {
		of, digest := lineage.CaptureID(e.Newer).Split()
		if c, kept := bySHA[digest]; kept && of == item.ID && e.At.After(c.CapturedAt) {
			out = append(out, event{at: e.At, capture: c, revisit: true})
		}
	}
	inOrder(out)
	changes := out
	for _, d := range item.History {
		if d.Times > 1 { // of the checks in between, the times are not kept
			out = append(out, sameAgain(d, d.Since, changes)...)
		}
		out = append(out, sameAgain(d, d.At, changes)...)
	}
	inOrder(out)
	return out
}

func inOrder(events []event) {
	slices.SortStableFunc(events, func(a, b event) int { return a.at.Compare(b.at) })
}

// sameAgain returns the event of a check that found the same bytes as the check before; none for
// another check. They are the bytes of the last event in changes that is not later than the check,
// apart from bodies that came for their text alone.
func sameAgain(d api.Decision, at time.Time, changes []event) []event {
	claimed := d.Why == verdict.WhyNotModified || d.Why == verdict.WhyValidators
	if d.What != "unchanged" || !claimed && d.Why != verdict.WhySameBytes && d.Why != verdict.WhySamePlain {
		return nil
	}
	same := false // a body with the same text came in between
	for _, e := range slices.Backward(changes) {
		switch {
		case e.at.After(at):
		case e.capture.SameTextAs != "":
			same = true
		case same && claimed:
			return nil // it is not known which of the bodies the source meant
		default:
			return []event{{at: at, capture: e.capture, revisit: true, claimed: claimed}}
		}
	}
	return nil
}
