package entry

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// longTag is a list tag that the first revision did not recognize.
var longTag = "[" + strings.Repeat("x", 65) + "] "

func sum(text string) string {
	b := sha256.Sum256([]byte(text))
	return hex.EncodeToString(b[:])
}

// wantField checks that an error names a field, or that there is no error.
func wantField(t *testing.T, err error, field string) {
	t.Helper()
	if (err == nil) != (field == "") || fault.FieldOf(err) != field {
		t.Errorf("error %v, want one that blames %q", err, field)
	}
}

func TestD1D2Telegram(t *testing.T) {
	long := strings.Repeat("thought ", linkWords)
	for _, tt := range []struct {
		name  string
		m     Telegram
		kind  string
		keys  Keys
		field string // that the error names
	}{
		{"D2 a thought", Telegram{Text: " Ships  pass\r\n", ChatID: "-100", MessageID: "7"}, "thought",
			Keys{TelegramThought, "tg:-100:7", ""}, ""},
		{"D2 a note", Telegram{Text: "x", ChatID: "1", MessageID: "2", ContentType: "note"}, "note",
			Keys{TelegramThought, "tg:1:2", ""}, ""},
		{"D1 a thought without its message", Telegram{Text: "x", ChatID: "1"}, "", Keys{}, "source"},
		{"D1 a chat that is none", Telegram{Text: "x", ChatID: "1:2", MessageID: "3"}, "", Keys{}, "source.chat_id"},
		{"D1 a message that is none", Telegram{Text: "x", ChatID: "@pilots", MessageID: "3:4"}, "", Keys{},
			"source.message_id"},
		{"D1 no text", Telegram{Text: " \u200b\n", ChatID: "1", MessageID: "2"}, "", Keys{}, "text"},
		{"D1 a caption", Telegram{Caption: "A buoy", ChatID: "1", MessageID: "2"}, "thought", Keys{TelegramThought, "tg:1:2",
			""}, ""},
		{"D1 text before caption", Telegram{Text: "a", Caption: "b", ChatID: "1", MessageID: "2"}, "thought",
			Keys{TelegramThought, "tg:1:2", ""}, ""},
		{"D2 a bare link", Telegram{Text: "HTTPS://Port.example:443/a/?utm_source=x&b=1#top"}, "link",
			Keys{TelegramLink, "https://port.example/a?b=1", sum("https://port.example/a?b=1")}, ""},
		{"D1 source.url decides", Telegram{Text: long + "https://other.example/", URL: "https://port.example/x"}, "link",
			Keys{TelegramLink, "https://port.example/x", sum("https://port.example/x")}, ""},
		{"D1 a link in a sentence", Telegram{Text: "Worth reading (see https://port.example/tides_(spring))."}, "link",
			Keys{TelegramLink, "https://port.example/tides_(spring)", sum("https://port.example/tides_(spring)")}, ""},
		{"D1 www without a scheme", Telegram{Text: "www.port.example"}, "link",
			Keys{TelegramLink, "https://www.port.example/", sum("https://www.port.example/")}, ""},
		{"D1 as many words as a link may have", Telegram{Text: long + "https://port.example/"}, "link",
			Keys{TelegramLink, "https://port.example/", sum("https://port.example/")}, ""},
		{"D1 one word more", Telegram{Text: long + "more https://port.example/", ChatID: "1", MessageID: "2"}, "thought",
			Keys{TelegramThought, "tg:1:2", ""}, ""},
		{"D1 several pages", Telegram{Text: "https://a.example/ https://b.example/", ChatID: "1", MessageID: "2"}, "thought",
			Keys{TelegramThought, "tg:1:2", ""}, ""},
		{"D1 one page twice", Telegram{Text: "https://a.example/ https://a.example/?gclid=1"}, "link",
			Keys{TelegramLink, "https://a.example/", sum("https://a.example/")}, ""},
		{"D1 a link by content_type", Telegram{Text: "https://a.example/ https://b.example/", ContentType: "link"}, "link",
			Keys{TelegramLink, "https://a.example/", sum("https://a.example/")}, ""},
		{"D1 a thought by content_type", Telegram{Text: "https://a.example/", ContentType: "thought", ChatID: "1",
			MessageID: "2"}, "thought",
			Keys{TelegramThought, "tg:1:2", ""}, ""},
		{"D1 a link without a URL", Telegram{Text: "x", ContentType: "link"}, "", Keys{}, "source.url"},
		{"D1 a URL that is none", Telegram{Text: "x", URL: "ftp://a.example/"}, "", Keys{}, "source.url"},
		{"D1 another content_type", Telegram{Text: "x", ContentType: "poem", ChatID: "1", MessageID: "2"}, "", Keys{},
			"content_type"},
		{"D1 too long", Telegram{Text: strings.Repeat("x", maxLong+1), ChatID: "1", MessageID: "2"}, "", Keys{}, "text"},
		{"D1 secrets stay out", Telegram{Text: "https://port.example/a?access_token=secret"}, "link",
			Keys{TelegramLink, "https://port.example/a", sum("https://port.example/a")}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := NormalizeTelegram(tt.m, source.DefaultRules())
			wantField(t, err, tt.field)
			if err != nil {
				return
			}
			if diff := cmp.Diff(tt.keys, KeysOf(f)); diff != "" || f.Text("content_type") != tt.kind ||
				f.Text("source") != "telegram" {
				t.Errorf("%s of %s, keys (-want +have):\n%s", f.Text("content_type"), f.Text("source"), diff)
			}
			if err := f.Check(); err != nil || f["metadata"].(map[string]any)["retrieval"] == nil {
				t.Errorf("it cannot be inserted: %v", err)
			}
		})
	}
}

func TestD1TelegramMetadata(t *testing.T) {
	f, err := NormalizeTelegram(Telegram{
		Text: "Tide tables\nhttps://port.example/t?utm_source=x and some more", ChatID: "1", MessageID: "2",
		ForwardedFrom: " The  Pilot ", Date: "2026-03-01T00:00:00Z",
	}, source.DefaultRules())
	wantField(t, err, "")
	want := map[string]any{"chat_id": "1", "message_id": "2", "forwarded_from": "The Pilot",
		"date": "2026-03-01T00:00:00Z", "urls": []any{"https://port.example/t"}}
	if diff := cmp.Diff(want, f["metadata"].(map[string]any)["telegram"]); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	if f.Text("title") != "Tide tables and some more" || f.Text("url") != "https://port.example/t?utm_source=x" ||
		f.Text("url_canonical") != "https://port.example/t" {
		t.Errorf("title %q, url %q, canonical %q", f["title"], f["url"], f["url_canonical"])
	}
}

// TestD2SubjectBase checks that only what spec 001 lists is removed from a subject, so that keys equal those of other
// programs that follow it (D2).
func TestD2SubjectBase(t *testing.T) {
	for subject, want := range map[string]string{
		"Tide tables":                             "tide tables",
		"Re: Tide tables":                         "tide tables",
		"RE: FW: Fwd:  Tide\ttables ":             "tide tables",
		"[Harbour] Re: [Pilots] fwd: Tide tables": "tide tables",
		"re:fw:Tide tables":                       "tide tables",
		longTag + "Tide tables":                   "tide tables",
		"[] Tide tables":                          "tide tables",
		"R: the language 4.4":                     "r: the language 4.4",
		"AW: Re: Tide tables":                     "aw: re: tide tables",
		"Re[2]: Tide tables":                      "re[2]: tide tables",
		"Re : Tide tables":                        "re : tide tables",
		"FWDS: Tide tables":                       "fwds: tide tables",
		"ΟΔΟΣ":                                    "οδος", // as Python and JavaScript convert it to lower case
		"Regarding: tide":                         "regarding: tide",
		"re tide":                                 "re tide",
		"Tide re: tables":                         "tide re: tables",
		"[Alert]":                                 "[alert]",
		"Re: [Alert]":                             "[alert]",
		"Re:":                                     "",
		"  ":                                      "",
		"ÜBERSICHT":                               "übersicht",
		"U\u0308bersicht":                         "übersicht",
	} {
		if have := subjectBase(subject); have != want {
			t.Errorf("%q: have %q, want %q", subject, have, want)
		}
	}
}

func TestD2DayBucket(t *testing.T) {
	for date, want := range map[string]string{
		"2026-03-01T05:59:59Z":            "2026-02-28", // winter: UTC-6
		"2026-03-01T06:00:00Z":            "2026-03-01",
		"2026-07-01T04:59:59Z":            "2026-06-30", // summer: UTC-5
		"2026-07-01T05:00:00Z":            "2026-07-01",
		"2026-03-08T07:59:59Z":            "2026-03-08", // the clocks go forward in this night, at 08:00Z
		"2026-03-09T04:59:59Z":            "2026-03-08", // and its day ends in summer time
		"2026-03-09T05:00:00Z":            "2026-03-09",
		"2026-11-02T05:59:59Z":            "2026-11-01", // the day on which the clocks go back ends in winter time
		"2026-11-02T06:00:00Z":            "2026-11-02",
		"Sun, 1 Mar 2026 00:30:00 +0100":  "2026-02-28",
		"1 Mar 2026 00:30 -0600":          "2026-03-01",
		"2026-03-01":                      "2026-03-01",
		"2026-03-01T00:00:00.25+00:00":    "2026-02-28",
		"Sun, 1 Mar 2026 12:00:00 (noon)": "2026-03-01",
		"Sun, 1 Mar 2026 03:00:00":        "2026-03-01", // without a zone: the day that is written
		"Sun, 1 Mar 2026 22:30:00 EST":    "2026-03-01",
		"Sun, 1 Mar 2026 22:30:00 PST":    "2026-03-02",
		"yesterday":                       "",
		"":                                "",
	} {
		have, ok := dayBucket(date)
		if have != want || ok != (want != "") {
			t.Errorf("%q: have %q, %v, want %q", date, have, ok, want)
		}
	}
}

func mailOf(header string) string { return strings.TrimSpace(header) + "\n\nThe harbour is closed.\n" }

func TestD1D2Email(t *testing.T) {
	const head = "From: The Port <News@Port.example>\nSubject: [News] Tides\nDate: Sun, 1 Mar 2026 03:00:00 " +
		"+0000\nMessage-ID: <A.1@port.example>\n"
	letter := Keys{EmailNewsletter, "A.1@port.example", sum("news@port.example" + "tides" + "2026-02-28")}
	thread := Keys{Policy: EmailThread, Primary: sum("tides")}
	for _, tt := range []struct {
		name  string
		e     Email
		kind  string
		keys  Keys
		field string
	}{
		{"D1 correspondence", Email{RawText: mailOf(head)}, Correspondence, thread, ""},
		{"D1 List-Unsubscribe", Email{RawText: mailOf(head + "List-Unsubscribe: <mailto:x@port.example>")}, Newsletter,
			letter, ""},
		{"D1 List-Id", Email{RawText: mailOf(head + "List-Id: News <n.port.example>")}, Newsletter, letter, ""},
		{"D1 Precedence", Email{RawText: mailOf(head + "Precedence: bulk")}, Newsletter, letter, ""},
		{"D1 a list that nobody answers", Email{RawText: mailOf(head + "List-Id: <n.port.example>\nList-Post: NO")},
			Newsletter, letter, ""},
		{"D1 a list that takes answers",
			Email{RawText: mailOf(head + "List-Id: <n.port.example>\nList-Post: <mailto:n@port.example>")}, Correspondence,
			thread, ""},
		{"D1 an answer",
			Email{RawText: mailOf(head + "List-Unsubscribe: <mailto:x@port.example>\nIn-Reply-To: <0@port.example>")},
			Correspondence, thread, ""},
		{"D1 content of a newsletter", Email{RawText: mailOf(head) + "\nTo stop these mails, unsubscribe here."}, Newsletter,
			letter, ""},
		{"D1 in German", Email{RawText: mailOf(head) + "\nHier Newsletter abbestellen."}, Newsletter, letter, ""},
		{"D1 the word in the middle", Email{RawText: mailOf(head) + strings.Repeat("x ", edgeWords) + "unsubscribe " +
			strings.Repeat("x ", edgeWords)}, Correspondence, thread, ""},
		{"D1 content_type decides", Email{RawText: mailOf(head), ContentType: Newsletter}, Newsletter, letter, ""},
		{"D1 only the text", Email{RawText: "The harbour is closed.", Subject: "Re: Tides"}, Correspondence, thread, ""},
		{"D1 only the text of a newsletter", Email{RawText: "Closed. Unsubscribe", From: "news@port.example",
			Subject: "Tides", Date: "2026-03-01T03:00:00Z"}, Newsletter,
			Keys{EmailNewsletter, "", letter.Secondary}, ""},
		{"D1 HTML", Email{RawText: "<div>Closed.<p>View in browser</div>", From: "news@port.example", Subject: "Tides",
			MessageID: "<A.1@port.example>", Date: "2026-02-28"}, Newsletter, letter, ""},
		{"D1 given fields before the header", Email{RawText: mailOf(head), Subject: "Lights", From: "x@y.example"},
			Correspondence, Keys{Policy: EmailThread, Primary: sum("lights")}, ""},
		{"D2 no date, but an id", Email{RawText: "x", ContentType: Newsletter, Subject: "s", From: "a@b.example",
			MessageID: "i"}, Newsletter, Keys{EmailNewsletter, "i", ""}, ""},
		{"D2 neither date nor id", Email{RawText: "x", ContentType: Newsletter, Subject: "s", From: "a@b.example"}, "",
			Keys{}, "source.date"},
		{"D2 a date that is none", Email{RawText: "x", ContentType: Newsletter, Subject: "s", From: "a@b.example",
			Date: "soon"}, "", Keys{}, "source.date"},
		{"D2 neither sender nor id", Email{RawText: "x", ContentType: Newsletter, Subject: "s", Date: "2026-03-01"}, "",
			Keys{}, "from"},
		{"D2 a newsletter without a subject", Email{RawText: "x", ContentType: Newsletter, From: "a@b.example",
			Date: "2026-03-01"}, "", Keys{}, "subject"},
		{"D2 one that has an id", Email{RawText: "x", ContentType: Newsletter, From: "a@b.example", Date: "2026-03-01",
			MessageID: "i"}, Newsletter, Keys{EmailNewsletter, "i", ""}, ""},
		{"D2 no subject", Email{RawText: "x", From: "a@b.example"}, "", Keys{}, "subject"},
		{"D1 no text", Email{RawText: "\n ", Subject: "s"}, "", Keys{}, "raw_text"},
		{"D1 another content_type", Email{RawText: "x", Subject: "s", ContentType: "letter"}, "", Keys{}, "content_type"},
		{"D1 a line of an mbox", Email{RawText: "From x Sun Mar  1 03:00:00 2026\n" + mailOf(head)}, Correspondence,
			thread, ""},
		{"D1 a text that looks like a header", Email{RawText: "Note: the harbour\nis closed", Subject: "Tides"},
			Correspondence, thread, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := NormalizeEmail(tt.e)
			wantField(t, err, tt.field)
			if err != nil {
				return
			}
			if diff := cmp.Diff(tt.keys, KeysOf(f)); diff != "" || f.Text("content_type") != tt.kind ||
				f.Text("source") != "email" {
				t.Errorf("%s, keys (-want +have):\n%s", f.Text("content_type"), diff)
			}
		})
	}
}

// edgeWords is more words than the examined edges of a mail have.
const edgeWords = 1000

// TestD2ParticipantsDoNotMatter checks that the sender and recipients are not part of a thread's identity (D2).
func TestD2ParticipantsDoNotMatter(t *testing.T) {
	one, err := NormalizeEmail(Email{RawText: "a", From: "a@a.example", Subject: "Tides", MessageID: "1",
		Date: "2026-01-01"})
	wantField(t, err, "")
	two, err := NormalizeEmail(Email{RawText: "b", From: "b@b.example", Subject: "FW: [x] tides"})
	wantField(t, err, "")
	if KeysOf(one) != KeysOf(two) {
		t.Errorf("%+v and %+v", KeysOf(one), KeysOf(two))
	}
}

func TestD1EmailMIME(t *testing.T) {
	raw := "From: =?utf-8?q?J=C3=BCrgen?= <j@port.example>\r\nSubject: =?iso-8859-1?Q?Ebbe_f=FCr_alle?=\r\nDate: Sun, 1 " +
		"Mar 2026 12:00:00 +0000\r\nMIME-Version: 1.0\r\n" +
		"Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/html; " +
		"charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" +
		"<html><body><p>Gr=FC=DFe aus dem Hafen.</p></body></html>\r\n--b--\r\n"
	f, err := NormalizeEmail(Email{RawText: raw})
	wantField(t, err, "")
	have := []string{f.Text("clean_text"), f.Text("title"), f.Text("author")}
	if diff := cmp.Diff([]string{"Grüße aus dem Hafen.", "Ebbe für alle", "Jürgen <j@port.example>"}, have); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	email := f["metadata"].(map[string]any)["email"].(map[string]any)
	if email["subject_base"] != "ebbe für alle" || email["date_bucket"] != "2026-03-01" {
		t.Errorf("metadata %v", email)
	}
}

func ptr(s string) *string { return &s }

func TestD1Webpage(t *testing.T) {
	page := "Skip to content\n\nHigh  tide\n\n***\nThe harbour is closed from noon until the evening of Sunday.\nThe " +
		"harbour is closed from noon until the evening of Sunday.\n\n\n\nShare\n"
	f, err := NormalizeWebpage(Webpage{Text: &page, URL: "https://port.example/a?utm_source=x", ContentType: "article"},
		source.DefaultRules())
	wantField(t, err, "")
	if want := "High tide\n\nThe harbour is closed from noon until the evening of Sunday."; f.Text("clean_text") != want ||
		f.Text("extracted_text") != page {
		t.Errorf("clean %q", f["clean_text"])
	}
	if f.Text("url_canonical") != "https://port.example/a" || f["source"] != "webpage" ||
		f["idempotency_policy_key"] != nil || f[skippedField] != nil {
		t.Errorf("fields %v", f)
	}
	for _, tt := range []struct {
		name     string
		p        Webpage
		clean    string
		excerpt  string
		skipped  bool
		canon    string
		badField string
	}{
		{"D1 nothing given", Webpage{}, "", "", false, "", "text"},
		{"D1 empty when clean", Webpage{Text: ptr("Share\n***\n")}, "", "", true, "", ""},
		{"D1 empty", Webpage{Text: ptr("")}, "", "", true, "", ""},
		{"D1 cleaned before", Webpage{Text: ptr("raw"), CleanText: ptr("Share  this ")}, "Share this", "Share this",
			false, "", ""},
		{"D1 cleaned to nothing before", Webpage{Text: ptr("raw"), CleanText: ptr(" ")}, "", "", true, "", ""},
		{"D1 an excerpt given", Webpage{Text: ptr("The text"), Excerpt: " Mine\n"}, "The text", "Mine", false, "", ""},
		{"D1 a canonical given", Webpage{Text: ptr("x"), URL: "https://a.example/1", URLCanonical: "https://a.example/2"},
			"x", "x", false, "https://a.example/2", ""},
		{"D1 only what was captured", Webpage{CaptureText: ptr("Captured")}, "Captured", "Captured", false, "", ""},
		{"D1 a URL that is none", Webpage{Text: ptr("x"), URL: "a.example"}, "", "", false, "", "url"},
		{"D1 too long", Webpage{Text: ptr(strings.Repeat("x", maxLong+1))}, "", "", false, "", "text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := NormalizeWebpage(tt.p, source.DefaultRules())
			wantField(t, err, tt.badField)
			if err != nil {
				return
			}
			_, quality := f["quality_score"]
			if f.Text("clean_text") != tt.clean || f.Text("retrieval_excerpt") != tt.excerpt ||
				(f[skippedField] == true) != tt.skipped || quality == tt.skipped || f.Text("url_canonical") != tt.canon {
				t.Errorf("%v", f)
			}
		})
	}
}

func TestD7Quality(t *testing.T) {
	sentence := "The harbour is closed from noon until the evening. "
	for _, tt := range []struct {
		name             string
		extracted, clean string
		want             Fields
	}{
		{"short", "High tide at noon", "High tide at noon", Fields{
			"clean_char_count": int64(17), "extracted_char_count": int64(17), "clean_word_count": int64(4),
			"link_count":               int64(0),
			"clean_vs_extracted_ratio": 1.0, "link_ratio": 0.0, "boilerplate_heavy": false, "extraction_incomplete": false,
			"low_signal": true, "quality_score": 0.513,
		}},
		{"mostly page", strings.Repeat("menu ", 300), strings.TrimSpace(strings.Repeat("word ", 30)), Fields{
			"clean_char_count": int64(149), "extracted_char_count": int64(1500), "clean_word_count": int64(30),
			"link_count":               int64(0),
			"clean_vs_extracted_ratio": 0.099, "link_ratio": 0.0, "boilerplate_heavy": true, "extraction_incomplete": false,
			"low_signal": false, "quality_score": 0.4,
		}},
		{"links", "https://port.example/aaaa https://port.example/bb",
			"https://port.example/aaaa https://port.example/bb", Fields{
				"clean_char_count": int64(49), "extracted_char_count": int64(49), "clean_word_count": int64(8),
				"link_count":               int64(2),
				"clean_vs_extracted_ratio": 1.0, "link_ratio": 0.98, "boilerplate_heavy": false, "extraction_incomplete": false,
				"low_signal": true, "quality_score": 0.037,
			}},
		{"cut", "", strings.Repeat(sentence, 20) + "Continue reading", Fields{
			"clean_char_count": int64(1036), "extracted_char_count": int64(1036), "clean_word_count": int64(182),
			"link_count":               int64(0),
			"clean_vs_extracted_ratio": 1.0, "link_ratio": 0.0, "boilerplate_heavy": false, "extraction_incomplete": true,
			"low_signal": false, "quality_score": 0.7,
		}},
	} {
		if diff := cmp.Diff(tt.want, signals(tt.extracted, tt.clean)); diff != "" {
			t.Errorf("%s (-want +have):\n%s", tt.name, diff)
		}
	}
}

func TestD7Words(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "a b": 2, "don't stop": 2, "well-kept": 1, "— …": 0, "港は閉鎖": 4, "tide表": 2, "नमस्ते दुनिया": 2, "3.5 m": 3,
	} {
		if have := countWords(text); have != want {
			t.Errorf("%q: have %d, want %d", text, have, want)
		}
	}
}

func TestD7Excerpt(t *testing.T) {
	sentence := "The harbour is closed from noon until the evening."
	for name, tt := range map[string]struct{ text, want string }{
		"short":                {"High tide", "High tide"},
		"headings are passed":  {"News\n\nMarch 2026\n\n" + sentence, sentence},
		"only headings":        {"News\n\nMarch", "News March"},
		"ends with a sentence": {strings.Repeat(sentence+" ", 10), strings.TrimSpace(strings.Repeat(sentence+" ", 7))},
		"ends with a word":     {strings.Repeat("abcde ", 100), strings.TrimSpace(strings.Repeat("abcde ", 66)) + "…"},
		"has no spaces":        {strings.Repeat("a", 500), strings.Repeat("a", 397) + "…"},
		"ends with a rune":     {strings.Repeat("港", 200), strings.Repeat("港", 132) + "…"},
	} {
		if have := excerptOf(tt.text); have != tt.want || len(have) > excerptBytes {
			t.Errorf("%s: have %q", name, have)
		}
	}
}

// ExampleNormalizeTelegram normalizes a message that names a page.
func ExampleNormalizeTelegram() {
	f, err := NormalizeTelegram(Telegram{Text: "Tide tables https://port.example/tides?utm_source=tg"},
		source.DefaultRules())
	fmt.Println(f["content_type"], f["idempotency_policy_key"], f["idempotency_key_primary"], err)
	// Output: link telegram_link_v1 https://port.example/tides <nil>
}
