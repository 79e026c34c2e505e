package client

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
)

const entryAddHelp = `add
Push entries in, each stored once

Push an entry in: a mail, a note, a link, or the text of a page. The server decides
the identity of each entry and stores it once, so adding it twice does no harm. The
result of each is printed: inserted, skipped, updated, or an error. One failed entry
makes the exit code 1; the others are still added.

  tidemark entry add mail inbox/*.eml
  tidemark entry add note 'Berth 4 is closed until Friday'
  tidemark entry add link https://example.com/tides
  tidemark entry add mail --json *.eml | jq -r .entry_id | tidemark enrich --batch -`

const entryHelp = `entry
Push in content that is not crawled: mails, notes, links, texts of pages

  tidemark entry add mail inbox/*.eml
  tidemark entry add note 'Berth 4 is closed until Friday'
  tidemark entry add link https://example.com/tides
  tidemark entry add mail --json *.eml | jq -r .entry_id | tidemark enrich --batch -`

func entryCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	add := command.New(entryAddHelp, cobra.NoArgs, func(context.Context, []string) error {
		return command.Usagef("add what: mail, note, link or page?")
	})
	add.AddCommand(addMailCommand(t, s), addNoteCommand(t, s), addLinkCommand(t, s), addPageCommand(t, s))
	return command.Group(entryHelp, add)
}

const addMailHelp = `mail FILE…
Push mails in

Push mails in, one in each file (RFC 5322, as mail programs save them: .eml).

A mail of a thread updates the entry of that thread. A newsletter is stored once. To
import a mailbox of several mails (.mbox), use "tidemark import mbox".

  tidemark entry add mail inbox/*.eml
  tidemark entry add mail - < message.eml`

func addMailCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return command.New(addMailHelp, command.Some("file of a mail"), func(ctx context.Context, args []string) error {
		return push(ctx, t, s, args, func(ctx context.Context, file string) (api.Entry, error) {
			body, err := readEntry(t, file)
			if err != nil {
				return api.Entry{}, err
			}
			if isMailbox(body) {
				return api.Entry{}, refusedf("it is a mailbox of several mails: POST /api/import/email/mbox imports those")
			}
			req := api.EmailRequest{RawText: string(body)}
			if !utf8.Valid(body) { // JSON has no such bytes
				if len(body) > maxBinaryBytes {
					return api.Entry{}, refusedf("it has bytes that are not UTF-8, and more than %s of them all, which is what can "+
						"be sent: put it into an mbox file, and import that", words.Count(maxBinaryBytes, "byte"))
				}
				req = api.EmailRequest{RawBase64: base64.StdEncoding.EncodeToString(body)}
			}
			return api.NormalizeEmail.Call(ctx, s.Silent(), req)
		})
	})
}

// mboxLine matches the line that begins a mail in a mailbox (RFC 4155).
var mboxLine = regexp.MustCompile(`(?m)(?:\A|^\r?\n)From \S+ +(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) `)

func isMailbox(body []byte) bool { return len(mboxLine.FindAllIndex(body, 2)) == 2 }

const addNoteHelp = `note TEXT…
Push notes in

Push notes in, one per argument; - reads one from standard input.

A note is identified by its --chat and its --message. Without --message it is
identified by its text: the same text is the same note, and another text is another
note. To be able to change the text of a note later, give it a --message.

  tidemark entry add note 'Berth 4 is closed until Friday'
  tidemark entry add note --chat log --message 12 'Berth 4 is open again'
  tidemark entry add note - < idea.txt`

func addNoteCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var from api.TelegramSource
	var chat, message string
	cmd := command.New(addNoteHelp, command.Some("text"), func(ctx context.Context, args []string) error {
		if message != "" && len(args) > 1 {
			return command.Usagef("--message is the id of one note, not of %d", len(args))
		}
		return push(ctx, t, s, args, func(ctx context.Context, text string) (api.Entry, error) {
			if text == "-" {
				body, err := readEntry(t, text)
				if err != nil {
					return api.Entry{}, err
				}
				text = string(body)
			}
			from.ChatID, from.MessageID = api.TelegramID(chat), api.TelegramID(message)
			if message == "" {
				from.MessageID = noteID(text)
			}
			return api.NormalizeTelegram.Call(ctx, s.Silent(), api.TelegramRequest{Text: text, ContentType: "note",
				Source: from})
		})
	})
	cmd.Flags().StringVar(&chat, "chat", "notes", "chat of the note: a `NAME` or number")
	cmd.Flags().StringVar(&message, "message", "",
		"`NUMBER` or name of the note in the chat; a later note with the same one replaces it")
	return cmd
}

// noteID makes an id for a note that has none, from its text. The id is a name, so it never equals the number of a
// message.
func noteID(text string) api.TelegramID {
	sum := sha256.Sum256([]byte(strings.TrimSpace(text)))
	return api.TelegramID("n" + hex.EncodeToString(sum[:20]))
}

const addLinkHelp = `link URL…
Push links in

Push links in. The page of each is crawled, too, and found by a search.

A link is identified by its URL without tracking parameters. A known link is
skipped.

  tidemark entry add link https://example.com/tides
  tidemark entry add link --title 'Tide tables' https://example.com/tides`

func addLinkCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var title string
	cmd := command.New(addLinkHelp, command.Some("URL"), func(ctx context.Context, args []string) error {
		if title != "" && len(args) > 1 {
			return command.Usagef("--title is that of one link, not of %d", len(args))
		}
		return push(ctx, t, s, args, func(ctx context.Context, url string) (api.Entry, error) {
			return api.NormalizeTelegram.Call(ctx, s.Silent(), api.TelegramRequest{
				Text: strings.TrimSpace(title + "\n" + url), ContentType: "link", Source: api.TelegramSource{URL: url},
			})
		})
	})
	cmd.Flags().StringVar(&title, "title", "", "title of the link")
	return cmd
}

const addPageHelp = `page FILE…
Push the texts of pages in

Push the text of pages in, from files of HTML or text.

A page has no identity of its own, so adding it twice makes two entries. To give
the text to an existing entry, such as a link, name that entry with --entry.

  tidemark entry add page --url https://example.com/tides tides.html
  tidemark entry add page --entry entry_telegram_link_v1-k7gx… tides.html`

func addPageCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var url, id string
	cmd := command.New(addPageHelp, command.Some("file of a page"), func(ctx context.Context, args []string) error {
		if (url != "" || id != "") && len(args) > 1 {
			return command.Usagef("--url and --entry are those of one page, not of %d", len(args))
		}
		return push(ctx, t, s, args, func(ctx context.Context, file string) (api.Entry, error) {
			e, err := readPage(ctx, t, s, file, url)
			e.EntryID = id
			return e, err
		})
	})
	cmd.Flags().StringVar(&url, "url", "", "address of the page")
	cmd.Flags().StringVar(&id, "entry", "", "`ID` of the entry that gets this text")
	return cmd
}

// nowhere is the base for relative addresses in a page whose own address is unknown.
const nowhere = "https://page.invalid/"

// readPage reads a page from a file and lets the server normalize it.
func readPage(ctx context.Context, t *terminal.Terminal, s *command.Server, file, url string) (api.Entry, error) {
	body, err := readEntry(t, file)
	if err != nil {
		return api.Entry{}, err
	}
	doc, err := web.Extract(body, "", nowhere, extract.Limits{})
	if err != nil {
		return api.Entry{}, err // Unreachable: the base is a valid address.
	}
	if doc.Unsupported {
		return api.Entry{}, refusedf("it is %s, neither HTML nor text", doc.MimeType)
	}
	e, err := api.NormalizeWebpage.Call(ctx, s.Silent(), api.WebpageRequest{Text: &doc.Text, URL: url})
	e.Title = doc.Title
	return e, err
}

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
			return fmt.Errorf("%w\n%s done before that", err, words.Count(done, "entry"))
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
