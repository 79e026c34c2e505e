package client

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
)

const addHelp = `add URL…
Register URLs to be fetched, indexed and watched

Register URLs. Each is fetched soon, indexed, and watched from then on.

Adding a known URL does no harm: it is checked now. With --file, URLs are read from
a file, one per line; empty lines and comments (#) are skipped. A URL that cannot be
added is reported with its line and the reason, and the others are added.

  tidemark add https://example.com/ https://example.com/news
  tidemark add --file urls.txt
  grep -h . lists/*.txt | tidemark add --file -
  tidemark add --force https://example.com/    fetch it even if it has not changed`

func addCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var file string
	var o api.AddOptions
	cmd := command.New(addHelp, nil, func(ctx context.Context, args []string) error {
		o.GuessScheme = true
		a := &adding{t: t, send: s.Client().AddURLs, options: o, noun: "URL"}
		return a.run(ctx, args, file)
	})
	cmd.Flags().StringVarP(&file, "file", "f", "", "read URLs from `FILE`, one per line; - is standard input")
	addFlags(cmd, &o)
	return cmd
}

// addFlags adds the flags that are common to all commands that add sources.
func addFlags(cmd *cobra.Command, o *api.AddOptions) {
	cmd.Flags().BoolVar(&o.Force, "force", false, "fetch and index them even if they have not changed")
	cmd.Flags().StringVar(&o.Credential, "credential", "",
		"for private sources: the server's setting CREDENTIAL_`NAME` gives access")
}

// run adds the sources in the arguments and in the file.
func (a *adding) run(ctx context.Context, args []string, file string) error {
	if len(args) == 0 && file == "" {
		return command.Usagef("nothing to add: give %ss or --file", a.noun)
	}
	a.list, a.each = cmp.Or(file, "arguments"), file == ""
	err := a.all(ctx, named(args))
	if err == nil && file != "" {
		err = a.fromFile(ctx, file)
	}
	if err != nil {
		return err
	}
	return a.finish()
}

// adding registers lists of sources and counts the results.
type adding struct {
	t             *terminal.Terminal
	send          func(context.Context, []string, api.AddOptions) (api.AddURLBatch, error)
	options       api.AddOptions
	noun          string // the word for the sources in messages
	list          string // where the lines come from, for messages
	each          bool   // whether to print each added source, and not only their number
	bar           *terminal.Bar
	added, failed int
	known         int // of the added ones, those that were there before
}

// fromFile adds the sources in a file, or in standard input when its name is "-".
func (a *adding) fromFile(ctx context.Context, name string) error {
	if name == "-" {
		a.list = "stdin"
		a.bar = a.t.Bar(-1, "adding")
		return a.all(ctx, entries(a.t.In))
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if a.t.Notes.Terminal {
		// The file is read an additional time to count its sources, only for the progress bar. That is impossible for
		// a pipe, which can be read only once.
		if total, ok := countEntries(f); ok {
			a.bar = a.t.Bar(total, "adding")
		}
	}
	return a.all(ctx, entries(f))
}

// countEntries counts the sources in a regular file and rewinds it.
func countEntries(f *os.File) (n int, ok bool) {
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	for _, err := range entries(f) {
		if err != nil {
			break // the call that adds the sources meets the same error and reports it
		}
		n++
	}
	_, err := f.Seek(0, io.SeekStart)
	return n, err == nil
}

func (a *adding) all(ctx context.Context, list iter.Seq2[entry, error]) error {
	for batch, err := range batches(list, api.MaxBatch) {
		if err == nil {
			err = a.batch(ctx, batch)
		}
		if err != nil {
			return a.stopped(err)
		}
	}
	return nil
}

// batch adds up to api.MaxBatch sources. When it returns an error, it is not known whether any source was added.
func (a *adding) batch(ctx context.Context, batch []entry) error {
	var good []entry
	var urls []string
	for _, e := range batch {
		if e.tooLong {
			a.report(e, fmt.Sprintf("longer than %d bytes", maxLineBytes))
			continue
		}
		good, urls = append(good, e), append(urls, e.source)
	}
	if len(urls) > 0 {
		res, err := a.send(ctx, urls, a.options)
		if err != nil {
			return err
		}
		a.results(good, res)
	}
	a.bar.Add(len(batch))
	return nil
}

func (a *adding) results(batch []entry, res api.AddURLBatch) {
	for i, r := range res.Items {
		if r.Item == nil {
			a.report(batch[i], cmp.Or(r.Error, "the server did not say why"))
			continue
		}
		a.added++
		if r.Known {
			a.known++
		}
		if r.Item.Warning != "" {
			a.note(batch[i], r.Item.Warning)
		}
		a.t.SayWhen(a.each, "%s  %-10s  %s", terminal.Clean(r.Item.ID), terminal.Clean(string(r.Item.Status)),
			terminal.Clean(cmp.Or(r.Item.DisplaySource, r.Source)))
	}
}

// report prints why one source was not added.
func (a *adding) report(e entry, why string) {
	a.failed++
	a.note(e, why)
}

// note prints what is to be known of one source.
func (a *adding) note(e entry, what string) {
	a.bar.Clear()
	a.t.Note("%s%s: %s", terminal.When(e.line > 0, "%s:%d: ", a.list, e.line), terminal.Cut(e.source, 100), what)
}

// stopped adds to err the number of sources that were added before the error.
func (a *adding) stopped(err error) error {
	a.bar.End()
	if a.added == 0 || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w\n%s added before that; run it again, adding twice does no harm", err,
		words.Count(a.added, a.noun))
}

// finish prints a summary. It returns an error when any source of the list failed.
func (a *adding) finish() error {
	a.bar.End()
	a.t.SayWhen(!a.each, "%s added%s", words.Count(a.added-a.known, a.noun),
		terminal.When(a.known > 0, ", %s known already", words.Thousands(a.known)))
	if a.failed > 0 {
		a.t.Note("%s not added", words.Count(a.failed, a.noun))
		return command.ErrReported
	}
	return nil
}

const addFileHelp = `add-file PATH…
Register files, folders, blobs or containers to be read, indexed and watched

Register files. Each is read soon, indexed, and watched from then on.

A file is named by a path on the server's machine, below its FILE_ROOT, or by the
address of a blob or of a file in an Azure Files share. The address of a blob
container or the path of a folder adds all that is in it: new files are added,
changed ones are read again, and deleted ones leave the index. A folder is listed
each hour, or as often as the interval of its item says.
Hidden files are left out, and symbolic links are not followed. Secrets in an address
are not stored: name a credential instead, which is a setting of the server.

  tidemark add-file /srv/docs/manual.pdf reports/*.docx
  tidemark add-file /srv/docs --include '*.md' --include '*.pdf' --exclude drafts/
  tidemark add-file --credential DOCS https://acct.blob.core.windows.net/docs/manual.pdf
  tidemark add-file --credential DOCS https://acct.blob.core.windows.net/docs
  find /srv/docs -name '*.pdf' | tidemark add-file --file -`

func addFileCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var file string
	var o api.AddOptions
	var files *changes
	cmd := command.New(addFileHelp, nil, func(ctx context.Context, args []string) error {
		chosen, err := files.patch()
		if err != nil {
			return err
		}
		if len(chosen) > 0 {
			o.Patch = api.Patch{"files": chosen}
		}
		a := &adding{t: t, options: o, noun: "file"}
		a.send = func(ctx context.Context, paths []string, o api.AddOptions) (api.AddURLBatch, error) {
			paths, err := absolute(paths)
			if err != nil {
				return api.AddURLBatch{}, err
			}
			return s.Client().AddFiles(ctx, paths, o)
		}
		return a.run(ctx, args, file)
	})
	cmd.Flags().StringVarP(&file, "file", "f", "", "read paths from `FILE`, one per line; - is standard input")
	addFlags(cmd, &o)
	files = changesOf(cmd.Flags(), form.Of[api.Files]())
	return cmd
}

// absolute resolves relative paths, because the server does not know the working directory of this process.
func absolute(paths []string) ([]string, error) {
	out := make([]string, len(paths))
	for i, path := range paths {
		if out[i] = path; strings.Contains(path, "://") || filepath.IsAbs(path) {
			continue
		}
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out[i] = abs
	}
	return out, nil
}

// maxLineBytes limits the length of a line in a list. The server's own limits on URLs are stricter.
const maxLineBytes = 16 << 10

// An entry is one source of a list. Its line is 0 if it comes from the command line.
type entry struct {
	source  string
	line    int
	tooLong bool // the line was longer than maxLineBytes; source is its beginning
}

// entries reads a list with one source on a line. It skips empty lines, lines that begin with #, and everything after
// a # that follows a space. A line of any length needs no more memory than maxLineBytes.
func entries(r io.Reader) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		br := bufio.NewReaderSize(r, maxLineBytes)
		for line := 1; ; line++ {
			text, tooLong, err := readLine(br)
			if line == 1 {
				text = strings.TrimPrefix(text, "\ufeff")
			}
			if text = withoutComment(text); text != "" && !yield(entry{text, line, tooLong}, nil) {
				return
			}
			if err == nil {
				continue
			}
			if err != io.EOF {
				yield(entry{line: line}, err)
			}
			return
		}
	}
}

// readLine reads to the end of a line and returns at most one buffer of it.
func readLine(br *bufio.Reader) (text string, tooLong bool, err error) {
	b, err := br.ReadSlice('\n')
	text = string(bytes.TrimRight(b, "\r\n"))
	for errors.Is(err, bufio.ErrBufferFull) {
		tooLong = true
		_, err = br.ReadSlice('\n')
	}
	return text, tooLong, err
}

func withoutComment(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "#") {
		return ""
	}
	if i := strings.IndexAny(text, " \t"); i >= 0 && strings.HasPrefix(strings.TrimSpace(text[i:]), "#") {
		return text[:i]
	}
	return text
}

// named lists the sources from the command line.
func named(args []string) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		for _, a := range args {
			if !yield(entry{source: a}, nil) {
				return
			}
		}
	}
}

// batches groups a list by size. An error of the list comes last, after the sources that were read before it.
func batches(list iter.Seq2[entry, error], size int) iter.Seq2[[]entry, error] {
	return func(yield func([]entry, error) bool) {
		var batch []entry
		for e, err := range list {
			if err != nil {
				if len(batch) == 0 || yield(batch, nil) {
					yield(nil, err)
				}
				return
			}
			if batch = append(batch, e); len(batch) == size {
				if !yield(batch, nil) {
					return
				}
				batch = nil
			}
		}
		if len(batch) > 0 {
			yield(batch, nil)
		}
	}
}
