package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
)

// saved writes a file in a folder of the test, and returns its path.
func saved(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const (
	mailText   = "From: ann@port.example\nSubject: Berth 4\n\nIt is closed.\n"
	normalized = `{"source":"email","title":"Berth 4","idempotency_policy_key":"p","idempotency_key_primary":"k","idempotency_key_secondary":null}`
	stored     = `{"entry_id":"entry_p-a","title":"Berth 4","action":"inserted"}`
	badRequest = `{"title":"Bad Request","status":400,"detail":"subject is missing"}`
)

// TestD3EntryAddMail checks that a pushed mail is normalized, and stored exactly as the server returned it (D1, D3).
func TestD3EntryAddMail(t *testing.T) {
	mail := saved(t, "a.eml", mailText)
	sent := `{"source":"email","title":"Berth 4","idempotency_policy_key":"p","idempotency_key_primary":"k"}`
	normalize := `POST /api/normalize/email {"raw_text":"From: ann@port.example\nSubject: Berth 4\n\nIt is closed.\n"}`
	box := saved(t, "b.mbox", "From a Sun Mar  1 08:00:00 2026\n"+mailText+"\nFrom b Mon Mar  2 08:00:00 2026\n"+mailText)
	one := saved(t, "one.mbox", "From a Sun Mar  1 08:00:00 2026\n"+mailText+"\nFrom here on all is well\n")
	performAll(t, []script{
		{name: "one", args: []string{"entry", "add", "mail", mail}, answers: []answered{{body: normalized}, {body: stored}},
			out: "inserted  entry_p-a  Berth 4\n", asked: []string{normalize, "POST /api/db/insert " + sent}},
		{name: "standard input", args: []string{"entry", "add", "mail", "-"}, stdin: mailText,
			answers: []answered{{body: normalized}, {body: stored}},
			out:     "inserted  entry_p-a  Berth 4\n", asked: []string{normalize, "POST /api/db/insert " + sent}},
		{name: "JSON is the answer of the insert", args: []string{"entry", "add", "mail", mail, "--json"},
			answers: []answered{{body: normalized}, {body: stored}},
			out:     stored + "\n"},
		{name: "several, of which some cannot be", args: []string{"entry", "add", "mail", mail, mail, mail}, code: 1,
			answers: []answered{{body: normalized}, {body: strings.Replace(stored, "inserted", "skipped", 1)}, {400, badRequest},
				{body: normalized}, {409, badRequest}},
			out: "skipped   entry_p-a  Berth 4\n",
			err: "tidemark: " + mail + ": subject is missing\ntidemark: " + mail +
				": subject is missing\ntidemark: 1 entry done, 2 entries failed\n"},
		{name: "a server that is down ends it", args: []string{"entry", "add", "mail", mail, mail, mail}, code: 1,
			answers: []answered{{body: normalized}, {body: stored},
				{503, `{"title":"Unavailable","status":503,"detail":"storage is down"}`}},
			out: "inserted  entry_p-a  Berth 4\n", err: "tidemark: storage is down\n1 entry done before that\n"},
		{name: "a key that is refused ends it", args: []string{"entry", "add", "mail", mail, mail}, code: 1,
			answers: []answered{{401, `{"title":"Unauthorized","status":401,"detail":"no key"}`}}, err: "tidemark: no key\n"},
		{name: "keys of two entries", args: []string{"entry", "add", "mail", mail},
			answers: []answered{{body: normalized},
				{body: `{"entry_id":"entry_p-a","action":"updated","idempotency_conflict":{"primary_entry_id":"entry_p-a","secondary_entry_id":"entry_p-b"}}`}},
			out: "updated   entry_p-a  " + terminal.Cut(mail, 60) + "\n", err: "tidemark: " + mail +
				": another entry, entry_p-b, has one of its keys\n"},
		{name: "a mailbox", args: []string{"entry", "add", "mail", box}, code: 1,
			err: "tidemark: " + box + ": it is a mailbox of several mails: POST /api/import/email/mbox imports those\n"},
		{name: "a mailbox of one", args: []string{"entry", "add", "mail", one},
			answers: []answered{{body: normalized}, {body: stored}}, out: "inserted  entry_p-a  Berth 4\n"},
		{name: "bytes without a place in JSON", args: []string{"entry", "add", "mail", "-"}, stdin: "caf\xe9",
			answers: []answered{{body: normalized}, {body: stored}},
			out:     "inserted  entry_p-a  Berth 4\n",
			asked:   []string{`POST /api/normalize/email {"raw_base64":"Y2Fm6Q=="}`, "POST /api/db/insert " + sent}},
		{name: "no file", args: []string{"entry", "add", "mail", "/nowhere/x.eml"}, code: 1,
			err: "tidemark: /nowhere/x.eml: no such file or directory\n"},
		{name: "a folder", args: []string{"entry", "add", "mail", "/"}, code: 1, err: "tidemark: /: it is a folder\n"},
		{name: "too large", args: []string{"entry", "add", "mail", "-"}, stdin: strings.Repeat("x", (3<<20)+1), code: 1,
			err: "tidemark: -: it has more than 3,145,728 bytes, which is what can be sent\n"},
		{name: "nothing", args: []string{"entry", "add", "mail"}, code: 2,
			err: "tidemark: give at least one file of a mail\nsee `tidemark entry add mail --help`\n"},
		{name: "nothing at all", args: []string{"entry", "add"}, code: 2,
			err: "tidemark: add what: mail, note, link or page?\nsee `tidemark entry add --help`\n"},
	})
}

// TestD3EntryAddNotesAndLinks checks that a note without an id is identified by its text, and a link by its URL (D1,
// D3).
func TestD3EntryAddNotesAndLinks(t *testing.T) {
	note := strings.NewReplacer("email", "telegram").Replace(normalized)
	both := []answered{{body: note}, {body: stored}}
	out := "inserted  entry_p-a  Berth 4\n"
	insert := `POST /api/db/insert {"source":"telegram","title":"Berth 4","idempotency_policy_key":"p","idempotency_key_primary":"k"}`
	performAll(t, []script{
		{name: "a note", args: []string{"entry", "add", "note", "tide"}, answers: both, out: out, asked: []string{
			`POST /api/normalize/telegram {"text":"tide","content_type":"note","source":{"chat_id":"notes","message_id":"n8a28929ac7f9a17e97a421ac2cd63ac73568ebe8"}}`, insert}},
		{name: "the same from standard input", args: []string{"entry", "add", "note", "-"}, stdin: "tide\n", answers: both,
			out: out, asked: []string{
				`POST /api/normalize/telegram {"text":"tide\n","content_type":"note","source":{"chat_id":"notes","message_id":"n8a28929ac7f9a17e97a421ac2cd63ac73568ebe8"}}`, insert}},
		{name: "a note with ids", args: []string{"entry", "add", "note", "tide", "--chat", "-10012", "--message", "7"},
			answers: both, out: out, asked: []string{
				`POST /api/normalize/telegram {"text":"tide","content_type":"note","source":{"chat_id":"-10012","message_id":"7"}}`,
				insert}},
		{name: "one id for two", args: []string{"entry", "add", "note", "a", "b", "--message", "7"}, code: 2,
			err: "tidemark: --message is the id of one note, not of 2\nsee `tidemark entry add note --help`\n"},
		{name: "a link", args: []string{"entry", "add", "link", "https://a.example/"}, answers: both, out: out,
			asked: []string{
				`POST /api/normalize/telegram {"text":"https://a.example/","content_type":"link","source":{"url":"https://a.example/"}}`, insert}},
		{name: "a link with a title", args: []string{"entry", "add", "link", "https://a.example/", "--title", "Tides"},
			answers: both, out: out, asked: []string{
				`POST /api/normalize/telegram {"text":"Tides\nhttps://a.example/","content_type":"link","source":{"url":"https://a.example/"}}`, insert}},
		{name: "one title for two", args: []string{"entry", "add", "link", "https://a.example/", "https://b.example/",
			"--title", "Tides"}, code: 2,
			err: "tidemark: --title is that of one link, not of 2\nsee `tidemark entry add link --help`\n"},
	})
}

// TestD3EntryAddPage checks that the text of a page becomes a new entry, or that of an existing one (D1, D3).
func TestD3EntryAddPage(t *testing.T) {
	page := saved(t, "p.html", "<title>Tides</title><p>High water at noon, every day of the week.")
	answer := `{"source":"webpage","extracted_text":"High water.","idempotency_policy_key":null}`
	normalize := `POST /api/normalize/webpage {"text":"High water at noon, every day of the week."`
	performAll(t, []script{
		{name: "a page", args: []string{"entry", "add", "page", page, "--url", "https://a.example/"},
			answers: []answered{{body: answer}, {body: stored}},
			out:     "inserted  entry_p-a  Berth 4\n", asked: []string{normalize + `,"url":"https://a.example/"}`,
				`POST /api/db/insert {"source":"webpage","title":"Tides","extracted_text":"High water."}`}},
		{name: "of an entry", args: []string{"entry", "add", "page", page, "--entry", "entry_p-a"},
			answers: []answered{{body: answer}, {body: stored}},
			out:     "inserted  entry_p-a  Berth 4\n", asked: []string{normalize + `}`,
				`POST /api/db/update {"entry_id":"entry_p-a","extracted_text":"High water."}`}},
		{name: "no page", args: []string{"entry", "add", "page", "-"}, stdin: "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", code: 1,
			err: "tidemark: -: it is application/octet-stream, neither HTML nor text\n"},
		{name: "one URL for two", args: []string{"entry", "add", "page", page, page, "--url", "https://a.example/"}, code: 2,
			err: "tidemark: --url and --entry are those of one page, not of 2\nsee `tidemark entry add page --help`\n"},
	})
}
