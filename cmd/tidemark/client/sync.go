package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const syncHelp = `sync [flags] [--exec PROGRAM [ARG]...]
Keep a copy of the index in step, such as a vector store

Print the chunks that the index holds, and then what changes, as JSON Lines. Each
line has an op:

  begin       a copy begins: mark what you hold
  upsert      the index holds this chunk: store it, and take the mark off
  delete      the index no longer holds the chunk of this chunkId
  deleteItem  the index no longer holds a chunk of this itemId or entryId
  copied      all chunks were named: delete what is still marked
  cursor      the lines before can be left out with --since CURSOR

A copy begins without a cursor, and again when the server no longer knows the cursor.

With --exec, PROGRAM gets each batch of lines on its standard input instead. When it
ends with exit code 0, the cursor moves; otherwise it gets the same batch again, after
pauses that grow to a minute. It gets the environment without Tidemark's settings and
keys. All that follows PROGRAM belongs to it, so flags of sync come before --exec.

A file of --cursor is made when it is missing. When nothing is new, the server is asked
again after --interval; --once ends then. After a first answer, a server may be away
for a while.

  tidemark sync --once > chunks.jsonl
  tidemark sync --cursor store.cursor --exec python3 store.py
  tidemark sync --once --host docs.example --vectors --cursor store.cursor --exec ./load`

// syncOptions are the flags of sync.
type syncOptions struct {
	query    api.ChunkQuery
	file     string // that has the cursor
	once     bool
	interval time.Duration
	exec     bool
	program  []string
}

const (
	atATime       = 500              // changes that are asked for at a time
	withVectors   = 100              // the same with vectors, which take long to compute and much room
	mostAtATime   = 1000             // as of the API
	syncPatience  = 5                // requests in a row that may fail with --once
	programsGrace = 10 * time.Second // how long a program may go on with its batch after an interrupt
)

func syncCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var o syncOptions
	cmd := command.New(syncHelp, nil, func(ctx context.Context, args []string) error {
		o.program = args
		if err := o.check(); err != nil {
			return err
		}
		f := &syncing{t: t, s: s, o: o}
		return f.run(ctx)
	})
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringVar(&o.query.Since, "since", "", "begin after this `CURSOR`, which an earlier sync printed")
	f.StringVar(&o.file, "cursor", "", "`FILE` that keeps the cursor from one sync to the next")
	command.HostFlag(f, &o.query.Host, "only chunks of pages of this `HOST`")
	f.StringVar(&o.query.Tag, "tag", "", "only chunks of items with this `TAG`")
	f.BoolVar(&o.query.Vectors, "vectors", false, "with the vector of each chunk, by the model of the server")
	f.IntVar(&o.query.Top, "top", 0, fmt.Sprintf("changes in a batch, 1 to %d (default %d, with --vectors %d)",
		mostAtATime, atATime, withVectors))
	f.BoolVar(&o.once, "once", false, "end when there is nothing more")
	f.DurationVar(&o.interval, "interval", 5*time.Second, "the pause when there was nothing new")
	f.BoolVar(&o.exec, "exec", false, "give each batch to the program that follows")
	return cmd
}

// check refuses flags that contradict each other, and a program that is not there.
func (o *syncOptions) check() error {
	switch {
	case o.exec && len(o.program) == 0:
		return command.Usagef("give a program after --exec")
	case !o.exec && len(o.program) > 0:
		return command.Usagef("%q is no flag: a program comes after --exec", o.program[0])
	case o.file != "" && o.query.Since != "":
		return command.Usagef("--since and --cursor exclude each other")
	case o.query.Top < 0 || o.query.Top > mostAtATime:
		return command.Usagef("--top is %d: give 1 to %d", o.query.Top, mostAtATime)
	}
	if o.query.Top == 0 {
		o.query.Top = atATime
		if o.query.Vectors {
			o.query.Top = withVectors
		}
	}
	if o.exec {
		if _, err := exec.LookPath(o.program[0]); err != nil {
			return err
		}
	}
	return command.CheckInterval(o.interval)
}

// syncLine is a line that is no change.
type syncLine struct {
	Op         string `json:"op"` // begin, copied or cursor
	Generation string `json:"generation,omitempty"`
	Cursor     string `json:"cursor,omitempty"`
}

// inCopy begins the cursors from which a copy goes on, because "copied" is printed at the end of one only.
const inCopy = "copying:"

// syncing follows the index.
type syncing struct {
	t        *terminal.Terminal
	s        *command.Server
	o        syncOptions
	copying  bool // a copy has begun and was not completed
	answered bool // the server has answered once
	batches  int
	changes  int
}

// run follows the index until ctx ends, or with --once until there is nothing more.
func (f *syncing) run(ctx context.Context) error {
	if err := f.resume(); err != nil {
		return err
	}
	waits := false // for the index to be filled
	for {
		begins := f.o.query.Since == ""
		page, err := f.ask(ctx)
		if p, ok := errors.AsType[*api.Problem](err); ok && p.Status == http.StatusGone && !begins {
			f.t.Note("a new copy begins, because the server no longer knows the cursor")
			f.o.query.Since = ""
			continue
		}
		if err != nil {
			return f.explain(err)
		}
		if err := f.give(ctx, begins, page); err != nil {
			return err
		}
		if len(page.Changes) > 0 {
			continue
		}
		if f.o.once && !page.Copying {
			f.t.NoteWhen(f.o.exec, "in step: %s in %s", words.Count(f.changes, "change"), words.Count(f.batches, "batch"))
			return nil
		}
		f.t.NoteWhen(page.Copying && !waits, "the index is being filled: the copy is complete after that")
		waits = page.Copying
		if err := f.t.Sleep(ctx, f.o.interval); err != nil {
			return err
		}
	}
}

// resume reads the cursor. A file that could not be written later is refused now.
func (f *syncing) resume() error {
	since := f.o.query.Since
	if f.o.file != "" {
		text, err := os.ReadFile(f.o.file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("reading the cursor: %w", err)
		}
		since = strings.TrimSpace(string(text))
		if err == nil && since == "" {
			return fmt.Errorf("%s is empty: remove it to begin with a copy", f.o.file)
		}
		probe, err := os.CreateTemp(filepath.Dir(f.o.file), ".tidemark-*")
		if err != nil {
			return fmt.Errorf("the cursor cannot be written: %w", err)
		}
		_, _ = probe.Close(), os.Remove(probe.Name())
	}
	f.o.query.Since, f.copying = strings.CutPrefix(since, inCopy)
	return nil
}

// explain adds to an error about the cursor where the cursor is from.
func (f *syncing) explain(err error) error {
	p, ok := errors.AsType[*api.Problem](err)
	if !ok || f.o.file == "" || !slices.ContainsFunc(p.Errors, func(e api.FieldError) bool { return e.Field == "since" }) {
		return err
	}
	return fmt.Errorf("%w (%s has the cursor: remove it to begin with a copy)", err, f.o.file)
}

// ask sends the request until the server answers. The first request must succeed, so that a wrong address is reported
// at once.
func (f *syncing) ask(ctx context.Context) (page api.ChunkChanges, err error) {
	for failed := 0; ; failed++ {
		page, err = api.FollowChunks.Call(ctx, f.s.Silent(), f.o.query)
		switch {
		case err == nil:
			f.t.NoteWhen(failed > 0, "the server answers again")
			f.answered = true
			return page, nil
		case ctx.Err() != nil || !f.answered || !passes(err) || f.o.once && failed+1 >= syncPatience:
			return page, err
		}
		pause := pauseAfter(failed)
		f.t.Note("%v; again in %s", err, pause)
		if err := f.t.Sleep(ctx, pause); err != nil {
			return page, err
		}
	}
}

// passes reports whether a request that failed may succeed later: everything but a refusal, as of a key or a filter.
func passes(err error) bool {
	p, ok := errors.AsType[*api.Problem](err)
	return !ok || p.Status >= 500 || p.Status == http.StatusTooManyRequests || p.Status == http.StatusRequestTimeout
}

// pauseAfter returns the pause before the next attempt: a second, and twice as long after each, up to a minute.
func pauseAfter(failed int) time.Duration { return min(time.Second<<min(failed, 6), time.Minute) }

// give prints the lines of an answer or gives them to the program, and moves the cursor.
func (f *syncing) give(ctx context.Context, begins bool, page api.ChunkChanges) error {
	copying := page.Copying
	copied := (begins || f.copying) && !copying
	cursor := page.Cursor
	if copying {
		cursor = inCopy + cursor
	}
	if begins || copied || len(page.Changes) > 0 {
		var lines bytes.Buffer
		enc := json.NewEncoder(&lines)
		enc.SetEscapeHTML(false)
		var err error
		if begins {
			err = enc.Encode(syncLine{Op: "begin", Generation: page.Generation})
		}
		for _, c := range page.Changes {
			err = cmp.Or(err, enc.Encode(c))
		}
		if copied {
			err = cmp.Or(err, enc.Encode(syncLine{Op: "copied"}))
		}
		if err := cmp.Or(err, enc.Encode(syncLine{Op: "cursor", Cursor: cursor})); err != nil {
			return err
		}
		if err := f.deliver(ctx, lines.Bytes()); err != nil {
			return err
		}
		f.batches++
		f.changes += len(page.Changes)
	}
	if moved := page.Cursor != f.o.query.Since || copying != f.copying; moved && f.o.file != "" {
		if err := saveCursor(f.o.file, cursor); err != nil {
			return fmt.Errorf("writing the cursor: %w", err)
		}
	}
	f.o.query.Since, f.copying = page.Cursor, copying
	return nil
}

// deliver prints a batch, or gives it to the program until the program has taken it.
func (f *syncing) deliver(ctx context.Context, lines []byte) error {
	if !f.o.exec {
		_, err := f.t.Out.Write(lines)
		return err
	}
	for failed := 0; ; failed++ {
		err := f.execute(ctx, lines)
		switch {
		case err == nil:
			f.t.NoteWhen(failed > 0, "%s has taken the batch", f.o.program[0])
			return nil
		case ctx.Err() != nil:
			return err
		case f.o.once:
			return fmt.Errorf("%w; the cursor has not moved", err)
		}
		pause := pauseAfter(failed)
		f.t.Note("%v; again in %s", err, pause)
		if err := f.t.Sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// execute runs the program with a batch. An interrupt gives it some time to finish, because half a batch would be
// repeated.
func (f *syncing) execute(ctx context.Context, lines []byte) error {
	name := f.o.program[0]
	cmd := exec.CommandContext(ctx, name, f.o.program[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(lines), f.t.Out, f.t.Err
	cmd.Env = app.WithoutSettings(os.Environ())
	cmd.WaitDelay = programsGrace
	cmd.Cancel = func() error {
		f.t.Note("interrupted: %s has %s to finish its batch", name, programsGrace)
		return os.ErrProcessDone // it is not: but nothing is to be sent, and its success counts
	}
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case cmd.ProcessState == nil:
		return fmt.Errorf("%s did not start: %w", name, err)
	case !cmd.ProcessState.Success():
		what := strings.Replace(cmd.ProcessState.String(), "exit status", "exit code", 1)
		return fmt.Errorf("%s ended with %s", name, what)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// saveCursor writes the file of the cursor, which is never seen half written. A link to the file stays.
func saveCursor(name, cursor string) error {
	if to, err := filepath.EvalSymlinks(name); err == nil {
		name = to
	}
	return replaceFile(name, func(to io.Writer) error {
		_, err := io.WriteString(to, cursor+"\n")
		return err
	})
}
