package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// maxEntryBytes bounds the size of a file that is pushed. A request may have 4 MiB, so this leaves room for the rest
// of the request.
const maxEntryBytes = 3 << 20

// maxBinaryBytes is the same bound for a file that is sent in base64, which makes four bytes of three.
const maxBinaryBytes = 2900 << 10

// refusedError is the error for an entry that this command refuses to send.
type refusedError struct{ text string }

func (e *refusedError) Error() string { return e.text }

func refusedf(format string, args ...any) error { return &refusedError{fmt.Sprintf(format, args...)} }

// push lets the server normalize the entry of each argument, and then stores the normalized entry. Clients need not
// know how an entry is identified (spec 001).
func push(ctx context.Context, t *terminal.Terminal, s *command.Server, args []string,
	normalize func(ctx context.Context, arg string) (api.Entry, error)) error {
	return eachEntry(t, args, isOwnFault, func(arg string) error {
		e, err := normalize(ctx, arg)
		if err != nil {
			return err
		}
		route := api.InsertEntry
		if e.EntryID != "" {
			route, e.Source, e.Title = api.UpdateEntry, "", "" // the source and the title of the stored entry stay
		}
		res, err := route.Call(ctx, s.Client(), e)
		if err != nil {
			return err
		}
		if res.EntryID == "" {
			return refusedf("it has no text, so nothing is stored")
		}
		t.Say("%-8s  %s  %s", terminal.Clean(res.Action), terminal.Clean(res.EntryID),
			terminal.Cut(terminal.Clean(cmp.Or(res.Title, arg)), 60))
		if c := res.Conflict; c != nil {
			t.Note("%s: another entry, %s, has one of its keys", terminal.Cut(terminal.Clean(arg), 100), c.SecondaryEntryID)
		}
		return nil
	})
}

// eachEntry calls do for one entry after another. If toBlame returns true for an error, the error concerns only that
// entry: eachEntry reports it and continues. Any other error ends the loop.
func eachEntry(t *terminal.Terminal, names []string, toBlame func(error) bool, do func(name string) error) error {
	done, failed := 0, 0
	for _, name := range names {
		switch err := do(name); {
		case err == nil:
			done++
		case toBlame(err):
			failed++
			t.Note("%s: %v", terminal.Cut(terminal.Clean(name), 100), err)
		case done == 0 || errors.Is(err, context.Canceled):
			return err
		default:
			return fmt.Errorf("%w\n%s before that", err, words.Count(done, "entry")+" done")
		}
	}
	if failed == 0 {
		return nil
	}
	t.NoteWhen(len(names) > 1, "%s done, %s failed", words.Count(done, "entry"), words.Count(failed, "entry"))
	return command.ErrReported
}

// isOwnFault reports whether an error concerns only one entry, so that other entries can still succeed.
func isOwnFault(err error) bool {
	if _, refused := errors.AsType[*refusedError](err); refused {
		return true
	}
	problem, ok := errors.AsType[*api.Problem](err)
	return ok && problem.Status >= 400 && problem.Status < 500 && problem.Status != http.StatusUnauthorized &&
		problem.Status != http.StatusTooManyRequests
}

// readEntry reads a file, or standard input when its name is "-", up to the size that can be sent.
func readEntry(t *terminal.Terminal, name string) ([]byte, error) {
	if info, err := os.Stat(name); name != "-" && err == nil && info.IsDir() {
		return nil, refusedf("it is a folder")
	}
	r, err := t.Open(name)
	if wrong, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, refusedf("%v", wrong.Err)
	} else if err != nil {
		return nil, err
	}
	defer r.Close()
	body, err := io.ReadAll(io.LimitReader(r, maxEntryBytes+1))
	if err == nil && len(body) > maxEntryBytes {
		err = refusedf("it has more than %s bytes, which is what can be sent", words.Thousands(maxEntryBytes))
	}
	return body, err
}
