package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/api"
)

// maxEntryBytes bounds a file that is pushed in. It leaves room in a request, which may have 4 MiB.
const maxEntryBytes = 3 << 20

// refusedError is an entry that this command does not send.
type refusedError struct{ text string }

func (e *refusedError) Error() string { return e.text }

func refusedf(format string, args ...any) error { return &refusedError{fmt.Sprintf(format, args...)} }

// pushing sends entries and keeps count.
type pushing struct {
	*program
	many         bool
	done, failed int
}

// push has each of what the arguments name normalized and then stored as that answered, which is all
// that clients are to do with their identity (seed 001). What one of them is to blame for is reported,
// and the others go on; anything else ends the work.
func (p *program) push(ctx context.Context, args []string, normalize func(ctx context.Context, arg string) (api.Entry, error)) error {
	w := &pushing{program: p, many: len(args) > 1}
	for _, arg := range args {
		e, err := normalize(ctx, arg)
		var res api.EntryResult
		if err == nil {
			res, err = w.store(ctx, e)
		}
		switch {
		case err == nil:
			w.report(arg, res)
		case isOwnFault(err):
			w.failed++
			p.note("%s: %v", cut(clean(arg), 100), err)
		default:
			return w.stopped(err)
		}
	}
	return w.finish()
}

// store inserts an entry, or updates the one that it names.
func (w *pushing) store(ctx context.Context, e api.Entry) (api.EntryResult, error) {
	if e.EntryID == "" {
		return w.client().InsertEntry(ctx, e)
	}
	e.Source, e.Title = "", "" // those of the entry stand
	return w.client().UpdateEntry(ctx, e)
}

func (w *pushing) report(arg string, res api.EntryResult) {
	w.done++
	w.say("%-8s  %s  %s", clean(res.Action), clean(res.EntryID), cut(clean(cmp.Or(res.Title, arg)), 60))
	if c := res.Conflict; c != nil {
		w.note("%s: another entry, %s, has one of its keys", cut(clean(arg), 100), c.SecondaryEntryID)
	}
}

// isOwnFault tells what is wrong with one entry from what would be wrong with every other.
func isOwnFault(err error) bool {
	if _, refused := errors.AsType[*refusedError](err); refused {
		return true
	}
	problem, ok := errors.AsType[*api.Problem](err)
	return ok && problem.Status >= 400 && problem.Status < 500 && problem.Status != http.StatusUnauthorized && problem.Status != http.StatusTooManyRequests
}

// stopped tells how far it came when something stopped the whole work.
func (w *pushing) stopped(err error) error {
	if w.done == 0 || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w\n%s before that", err, counted(w.done, "done"))
}

func (w *pushing) finish() error {
	if w.failed == 0 {
		return nil
	}
	if w.many {
		w.note("%s, %s", counted(w.done, "done"), counted(w.failed, "failed"))
	}
	return errReported
}

// counted is a number of entries and what became of them.
func counted(n int, what string) string {
	if n == 1 {
		return "1 entry " + what
	}
	return thousands(n) + " entries " + what
}

// readEntry reads a file, or standard input when its name is "-", as far as it can be sent.
func (p *program) readEntry(name string) ([]byte, error) {
	r := p.in
	if name != "-" {
		f, err := os.Open(name)
		if wrong, ok := errors.AsType[*fs.PathError](err); ok {
			return nil, refusedf("%v", wrong.Err)
		}
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, refusedf("it is a folder")
		}
		r = f
	}
	body, err := io.ReadAll(io.LimitReader(r, maxEntryBytes+1))
	if err == nil && len(body) > maxEntryBytes {
		err = refusedf("it has more than %s bytes, which is what can be sent", thousands(maxEntryBytes))
	}
	return body, err
}

// warnOfBytes says that JSON has no place for bytes that are no UTF-8: parts of old mails that are
// not encoded for transport.
func (p *program) warnOfBytes(name string, body []byte) {
	if !utf8.Valid(body) {
		n := len(body) - len(strings.ToValidUTF8(string(body), ""))
		p.note("%s: not UTF-8, so %s of letters will be lost", cut(clean(name), 100), count(n, "byte"))
	}
}
