package mail

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/goldentest"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

const base = "https://harbour.example/mails/1.eml"

func read(t testing.TB, body string, lim extract.Limits) extract.Document {
	t.Helper()
	doc, err := Extract([]byte(body), base, lim)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func files(t testing.TB) []string {
	t.Helper()
	found, err := filepath.Glob("testdata/*.eml")
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	return found
}

func load(t testing.TB, path string) string {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func dump(doc extract.Document) string {
	var out strings.Builder
	fmt.Fprintf(&out, "title %q, language %q (detected %v), charset %q, truncated %v\n",
		doc.Title, doc.Language, doc.LanguageDetected, doc.Charset, doc.Truncated)
	for _, l := range doc.Links {
		fmt.Fprintf(&out, "link %s %q\n", l.URL, l.Text)
	}
	for _, b := range doc.Blocks {
		fmt.Fprintf(&out, "\n[%s %d]\n%s\n", b.Kind, b.Level, b.Text)
	}
	return out.String()
}

func TestA17Golden(t *testing.T) {
	for _, path := range files(t) {
		golden, got := strings.TrimSuffix(path, ".eml")+".golden", dump(read(t, load(t, path), extract.Limits{}))
		goldentest.Compare(t, golden, got)
	}
}

// multipart returns a body part that holds others.
func multipart(kind, boundary string, parts ...string) string {
	return "Content-Type: multipart/" + kind + "; boundary=\"" + boundary + "\"\n\n--" + boundary + "\n" +
		strings.Join(parts, "\n--"+boundary+"\n") + "\n--" + boundary + "--\n"
}

// many returns n texts, each with its number.
func many(n int) []string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf("Content-Type: text/plain\n\nnumber-%d.", i+1)
	}
	return parts
}

// nest wraps a body part n times, and passes each wrapper its depth.
func nest(n int, wrap func(depth int, inner string) string) string {
	inner := "\nnothing below"
	for i := n; i > 0; i-- {
		inner = wrap(i, inner)
	}
	return inner
}

func TestA17Bounds(t *testing.T) {
	multiparts := func(depth int, inner string) string {
		return multipart("mixed", fmt.Sprint("b", depth, "."), fmt.Sprintf("\nnumber-%d.", depth), inner)
	}
	mails := func(depth int, inner string) string {
		return multipart("mixed", fmt.Sprint("b", depth, "."), fmt.Sprintf("\nnumber-%d.", depth),
			"Content-Type: message/rfc822\n\n"+inner)
	}
	for _, c := range []struct {
		name, body      string
		limits          extract.Limits
		holds, excludes string
	}{
		{"recipients", "To: " + strings.Repeat("ann@tide.example, ", 200) + "last@tide.example\n\none", extract.Limits{},
			"one", "last@tide"},
		{"text of a part", multipart("mixed", "b", "\none\n\ntwo\n\nthree"), extract.Limits{MaxBlocks: 1}, "", "three"},
		{"as many parts as may be", multipart("mixed", "b", many(maxParts)...), extract.Limits{}, "number-200.", ""},
		{"one part more", multipart("mixed", "b", many(maxParts+1)...), extract.Limits{}, "number-200.", "number-201."},
		{"parts of two multiparts", multipart("mixed", "b", multipart("mixed", "c", many(150)...),
			multipart("mixed", "d", many(150)...)), extract.Limits{}, "number-150.", ""},
		{"as deep as may be", nest(maxNested, multiparts), extract.Limits{}, "nothing below", ""},
		{"one deeper", nest(maxNested+1, multiparts), extract.Limits{}, "number-10.", "number-11."},
		{"as many mails as may be", nest(maxMails-1, mails), extract.Limits{}, "nothing below", ""},
		{"one mail more", nest(maxMails, mails), extract.Limits{}, "number-3.", "nothing below"},
		{"bytes", "Subject: a\n\n" + strings.Repeat("high water ", 100), extract.Limits{MaxBytes: 200}, "water", ""},
		{"blocks", "Subject: a\n\none\n\ntwo\n\nthree", extract.Limits{MaxBlocks: 2}, "two", "three"},
	} {
		doc := read(t, c.body, c.limits)
		if want := !strings.HasPrefix(c.name, "as "); doc.Truncated != want {
			t.Errorf("%s: truncated %v", c.name, doc.Truncated)
		}
		if doc.Truncated != (doc.Cut != "") || doc.Truncated == (doc.Beyond == extract.Beyond{}) {
			t.Errorf("%s: cut %q, beyond %x", c.name, doc.Cut, doc.Beyond)
		}
		if !strings.Contains(doc.Text, c.holds) || c.excludes != "" && strings.Contains(doc.Text, c.excludes) {
			t.Errorf("%s: have %.60q … %q", c.name, doc.Text, doc.Text[max(0, len(doc.Text)-60):])
		}
		if c.limits.MaxBytes > 0 && len(doc.Text) > c.limits.MaxBytes {
			t.Errorf("%s: %d bytes of text", c.name, len(doc.Text))
		}
	}
}

// TestA17Floods checks that mails which could make the parser's time or memory quadratic are read before the timeout
// of the test.
func TestA17Floods(t *testing.T) {
	const size = 2 << 20
	flood := func(s string) string { return strings.Repeat(s, size/len(s)) }
	deep := func(depth int, inner string) string {
		if depth == maxNested {
			inner = flood("\n-")
		}
		return multipart("mixed", fmt.Sprint("b", depth, "."), inner)
	}
	for name, body := range map[string]string{
		"empty parts": "Content-Type: multipart/mixed; boundary=b\n\n" + flood("--b\n\n"),
		"header parts": "Content-Type: multipart/mixed; boundary=b\n\n" +
			flood("--b\nContent-Type: multipart/mixed; boundary=b\n"),
		"parameters":        "Content-Type: text/plain" + flood("; abcd=e") + "\n\nend",
		"words":             "Subject: " + flood("=?a?q?") + "?=\n\nend",
		"lines of a header": "Subject: a\n" + flood("b\n") + "\nend",
		"fields":            "Subject: a\n" + flood("b:\n") + "\nend",
		"deep blank lines":  nest(maxNested, deep),
		"long boundary": "Content-Type: multipart/mixed; boundary=" + strings.Repeat("b", 1000) + "\n\n" +
			flood("--"+strings.Repeat("b", 1000)+"\n"),
	} {
		if _, err := Extract([]byte(body), base, extract.Limits{}); err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestA17PartsAreNotKept checks that the parser stops after too many parts, apart from the bytes already buffered.
func TestA17PartsAreNotKept(t *testing.T) {
	root, p, err := parse([]byte("Content-Type: multipart/mixed; boundary=b\n\n"+strings.Repeat("--b\n\n", 100_000)),
		maxHeader)
	if err != nil || len(p.left) != 1 || p.left[0].why != onlyParts {
		t.Fatalf("left %v, error %v", p.left, err)
	}
	n := 0
	for c := root.FirstChild; c != nil; c = c.NextSibling {
		n++
	}
	if n < maxParts || n > maxParts+4096/len("--b\n\n") {
		t.Errorf("%d parts", n)
	}
}

// TestA17Headers checks that the bytes read of all headers of a mail are bounded, and that the texts after the
// headers are still read.
func TestA17Headers(t *testing.T) {
	junk := strings.Repeat("X: y\n", 1<<16)
	tail := "Content-Type: text/plain\n"
	mixed := func(parts ...string) string {
		return "Subject: Tide\nContent-Type: multipart/mixed; boundary=b\n\n--b\n" + strings.Join(parts, "\n--b\n") +
			"\n--b--\n"
	}
	message := "Content-Type: message/rfc822\n\nSubject: Inner\n" + junk + "\ninner text"
	for name, c := range map[string]struct {
		body  string
		want  []string
		title string
	}{
		"of the mail": {"Subject: Tide\n" + junk + tail + "\nthe text", []string{"the text"}, "Tide"},
		"in one line": {"Subject: Tide\nX: " + strings.Repeat("x", 2<<20) + "\r\n\r\nthe text",
			[]string{"the text"}, "Tide"},
		"of a part": {mixed(tail+junk+"\nfirst text", tail+"\nsecond text"),
			[]string{"first text", "second text"}, "Tide"},
		"of many parts": {mixed(tail+junk+"\nfirst text", tail+junk+"\nsecond text", junk+"\nthird text"),
			[]string{"first text", "second text", "third text"}, "Tide"},
		"of a part named early": {"Content-Type: multipart/mixed; boundary=b\nSubject: Tide\n\n--b\n" + junk +
			"\nthe text\n--b--", []string{"the text"}, "Tide"},
		"of attached mails": {mixed(message, message, tail+"\nlast text"), []string{"inner text", "last text"},
			"Tide"},
		"as long as may be": {"Subject: Tide\n" + strings.Repeat("X: y\n", (maxHeader-len("Subject: Tide\n"))/5) +
			"\nthe text", []string{"the text"}, "Tide"},
		"that has no end":          {"Subject: Tide\n" + junk, nil, "Tide"},
		"behind what closes parts": {mixed(tail+"\nfirst text") + junk + "\n", []string{"first text"}, "Tide"},
	} {
		t.Run(name, func(t *testing.T) {
			root, p, err := parse([]byte(c.body), maxHeader)
			if err != nil || root == nil {
				t.Fatal(err)
			}
			doc := read(t, c.body, extract.Limits{})
			bounded := name == "as long as may be" || name == "behind what closes parts"
			if p.header < 0 || doc.Title != c.title && !strings.HasPrefix(doc.Title, c.title+" ") || doc.Truncated == bounded {
				t.Errorf("title %.100q, truncated %v (%s), %d left", doc.Title, doc.Truncated, doc.Cut, p.header)
			}
			for _, want := range c.want {
				if !strings.Contains(doc.Text, want) {
					t.Errorf("%q is missing", want)
				}
			}
			if n := passed(p); n > maxHeader+10_000 && !bounded && name != "of attached mails" {
				t.Errorf("%d bytes were parsed", n)
			}
		})
	}
}

// passed returns the number of bytes that a parser let through.
func passed(p *parser) int {
	n := p.end
	for _, s := range p.skip {
		n -= s.to - s.from
	}
	return n
}

func TestA17Refusals(t *testing.T) {
	if _, err := Extract([]byte("Subject: a\n\nb"), "not an address", extract.Limits{}); fault.FieldOf(err) != "baseURL" {
		t.Errorf("have %v, want an error that blames baseURL", err)
	}
}

// TestA17Choice checks which of several texts is read, and which parts count as attachments.
func TestA17Choice(t *testing.T) {
	const plain, html, empty = "Content-Type: text/plain\n\nplain", "Content-Type: text/html\n\n<p>html",
		"Content-Type: text/plain\n\n \n"
	pdf := "Content-Type: application/pdf; name=a.pdf\n\n%PDF"
	for _, c := range []struct{ name, body, want string }{
		{"plain before HTML", multipart("alternative", "b", plain, html), "plain"},
		{"HTML first", multipart("alternative", "b", html, plain), "plain"},
		{"an empty plain text", multipart("alternative", "b", empty, html), "html"},
		{"HTML in related", multipart("alternative", "b", "Content-Type: text/calendar\n\nx",
			multipart("related", "c", html)), "html\n\nx"},
		{"no alternatives", multipart("mixed", "b", plain, html), "plain\n\nhtml"},
		{"an attachment of an alternative", multipart("alternative", "b", plain, multipart("mixed", "c", html, pdf)),
			"plain\n\n- a.pdf"},
		{"no type", multipart("mixed", "b", "\nbare"), "bare"},
		{"only an attachment", pdf, "- a.pdf"},
		{"a boundary that never comes", "Content-Type: multipart/mixed; boundary=b\n\n--c\n\nlost", "--c\n\nlost"},
		{"no boundary", "Content-Type: multipart/mixed\r\n\r\nlost", "lost"},
		{"a bare line feed in the header", "Content-Type: multipart/mixed\n\nlost\r\n\r\ntoo", "lost\n\ntoo"},
	} {
		if got := read(t, c.body, extract.Limits{}).Text; got != c.want {
			t.Errorf("%s: have %q, want %q", c.name, got, c.want)
		}
	}
}

// TestD1Read checks that Read returns a mail's own text and its header fields.
func TestD1Read(t *testing.T) {
	body := "From: =?iso-8859-1?Q?J=FCrgen?= <j@port.example>\nSubject: Tide\n tables\nList-Id: <tides.port.example>\n" +
		multipart("mixed", "b", "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: "+
			"quoted-printable\n\nHigh water f=FCr you",
			"Content-Type: text/plain; name=a.txt\nContent-Disposition: attachment\n\nnot this",
			"Content-Type: application/pdf; name=t.pdf\n\n%PDF")
	m, err := Read([]byte(body), base, extract.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	have := []string{m.Document.Text, m.Document.Title, m.Header("from"), m.Header("Subject"), m.Header("List-Id"),
		m.Header("Date")}
	want := []string{"High water für you", "Tide tables", "Jürgen <j@port.example>", "Tide tables", "<tides.port.example>",
		""}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("want -, have +:\n%s", diff)
	}
	if _, err := Read([]byte("Subject: a\n\nb"), "not an address", extract.Limits{}); fault.FieldOf(err) != "baseURL" {
		t.Errorf("have %v, want an error that blames baseURL", err)
	}
}

// TestD1BareHeaders checks that header fields without encoded words are decoded, whatever their charset. Subjects are
// keys, and two subjects that differ only in such letters are different keys.
func TestD1BareHeaders(t *testing.T) {
	long := strings.Repeat("x", maxField-1)
	for _, c := range []struct{ name, header, want string }{
		{"UTF-8 (RFC 6532)", "Subject: Größe\n", "Größe"},
		{"no charset", "Subject: Gr\xf6\xdfe\n", "Größe"},
		{"no charset, other letters", "Subject: Gr\xfc\xdfe\n", "Grüße"},
		{"that of the text", "Subject: \xf7\xcf\xc4\xc1\nContent-Type: text/plain; charset=koi8-r\n", "Вода"},
		{"of two bytes", "Subject: \xb8\xdb\xbf\xda\nContent-Type: text/plain; charset=gb2312\n", "港口"},
		{"of a part", "Subject: \xf7\xcf\xc4\xc1\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: " +
			"text/plain; charset=koi8-r\n", "Вода"},
		{"a text of another", "Subject: Gr\xf6\xdfe\nContent-Type: text/plain; charset=utf-8\n", "Größe"},
		{"a text of none there is", "Subject: Gr\xf6\xdfe\nContent-Type: text/plain; charset=x-none\n", "Größe"},
		{"no letters of ASCII", "Subject: Gr\xf6\xdfe\nContent-Type: text/plain; charset=utf-16\n", "Größe"},
		{"beside encoded words", "Subject: =?utf-8?q?Gr=C3=B6=C3=9Fe?= der Fl\xfcsse\n", "Größe der Flüsse"},
		{"cut within a letter", "Subject: " + long + "ü\n", long},
	} {
		m, err := Read([]byte(c.header+"\ntext"), base, extract.Limits{})
		if have := m.Header("Subject"); err != nil || have != c.want {
			t.Errorf("%s: have %.40q, %v; want %.40q", c.name, have, err, c.want)
		}
	}
}

// TestD1ControlBytes checks that a mail keeps its text despite the control bytes of damaged mailboxes.
func TestD1ControlBytes(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"no type", "Subject: a\n\nhigh\x00 water\x00", "high water"},
		{"others", "Subject: a\n\nhigh\x0b\x01 wat\x08er\tof\x1f\nspring", "high water of\nspring"},
		{"a text that switches charsets by them", "Content-Type: text/plain; charset=iso-2022-jp\n\n\x1b$BD,\x1b(B", "潮"},
		{"HTML", "Content-Type: text/html; charset=utf-8\n\n<p>high\x00 water", "high water"},
		{"UTF-16", "Content-Type: text/plain; charset=utf-16le\nContent-Transfer-Encoding: base64\n\naABpAGcAaAA=", "high"},
		{"UTF-16 with a mark", "Content-Type: text/plain; charset=UTF-16\nContent-Transfer-Encoding: base64\n\n" +
			"//5oAGkAZwBoAA==", "high"},
	} {
		m, err := Read([]byte(c.body), base, extract.Limits{})
		if err != nil || m.Document.Text != c.want {
			t.Errorf("%s: have %q, %v; want %q", c.name, m.Document.Text, err, c.want)
		}
	}
}
