package entries

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// oldTag is a list tag that the first revision did not recognize.
var oldTag = "[" + strings.Repeat("x", 65) + "] "

// oldMail is one of the mails from which testdata/revision1.json was made.
type oldMail struct {
	schema Schema
	entry.Email
}

var oldMails = []oldMail{
	{Production, entry.Email{RawText: "one", Subject: "Tide tables", From: "a@port.example",
		Date: "2026-03-01T08:00:00Z"}},
	{Production, entry.Email{RawText: "two", Subject: "Re: Tide tables", From: "b@port.example",
		Date: "2026-03-01T09:00:00Z"}},
	{Production, entry.Email{RawText: "three", Subject: "AW: Re: Tide tables", From: "c@port.example",
		Date: "2026-03-01T10:00:00Z"}},
	{Production, entry.Email{RawText: "four", Subject: "R: the language 4.4", From: "a@port.example",
		Date: "2026-03-01T08:00:00Z"}},
	{Production, entry.Email{RawText: "five", Subject: "[Pilots] Lights", From: "a@port.example",
		Date: "2026-03-01T08:00:00Z"}},
	{Production, entry.Email{RawText: "six", Subject: oldTag + "Moorings", From: "a@port.example",
		Date: "2026-03-01T08:00:00Z"}},
	{Production, entry.Email{RawText: "seven", Subject: "Moorings", From: "b@port.example", Date: "2026-03-01T09:00:00Z"}},
	{Production, entry.Email{RawText: "eight", Subject: "R: weekly", ContentType: entry.Newsletter,
		From: "News <n@port.example>",
		Date: "2026-03-01T08:00:00Z"}},
	{Production, entry.Email{RawText: "nine", Subject: "I: weekly", ContentType: entry.Newsletter, From: "n@port.example",
		MessageID: "<9@port.example>", Date: "2026-03-02T08:00:00Z"}},
	{Production, entry.Email{RawText: "ten", Subject: "Weekly", ContentType: entry.Newsletter, From: "n@port.example",
		MessageID: "<10@port.example>", Date: "2026-03-03T08:00:00Z"}},
	{Testing, entry.Email{RawText: "eleven", Subject: "WG: Lights", From: "a@port.example", Date: "2026-03-01T08:00:00Z"}},
}

var oldMessages = []entry.Telegram{
	{Text: "ok", ChatID: "1", MessageID: "7"},
	{Text: "ok", ChatID: "2", MessageID: "8"},
	{Text: "Ships pass.", ChatID: "2", MessageID: "9"},
	{Text: "https://port.example/tides", ChatID: "2", MessageID: "10"},
}

// old returns the inserted entries as they are normalized now, in order.
func old(t testing.TB) (in []entry.Fields, schemas []Schema) {
	t.Helper()
	for _, m := range oldMails {
		f, err := entry.NormalizeEmail(m.Email)
		must(t, err)
		in, schemas = append(in, f), append(schemas, m.schema)
	}
	for _, m := range oldMessages {
		f, err := entry.NormalizeTelegram(m, source.DefaultRules())
		must(t, err)
		in, schemas = append(in, f), append(schemas, Production)
	}
	return in, schemas
}

// openOld opens a store with the rows that the code before revision 2 wrote for the mails and messages. The file must
// never be written again.
func openOld(open opener) opener {
	return func(t *testing.T) storage.Store {
		t.Helper()
		b, err := os.ReadFile("testdata/revision1.json")
		must(t, err)
		var rows map[string]map[string]any
		must(t, json.Unmarshal(b, &rows))
		s := open(t)
		for name, raw := range rows {
			at := strings.SplitN(name, "/", 3)
			props := storage.Properties{}
			for column, v := range raw {
				if n, ok := v.(float64); ok && (entry.Fields{column: int64(n)}).Check() == nil {
					v = int64(n)
				}
				props[column] = v
			}
			must(t, s.Table(at[0]).Create(t.Context()))
			_, err := s.Table(at[0]).Transact(t.Context(), storage.Op{Kind: storage.Insert,
				Entity: storage.Entity{Key: storage.Key{Partition: at[1], Row: at[2]}, Props: props}})
			must(t, err)
		}
		return s
	}
}
