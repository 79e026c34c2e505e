package send

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"mime"
	"mime/multipart"
	"net"
	"net/http/httptest"
	"net/mail"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"
)

// office is a mail server that keeps the mails it accepts.
type office struct {
	mu      sync.Mutex
	letters []string
	user    string
	to      []string
	refuses error
	unknown map[string]error // recipients that are refused

	ways              []string // ways to log in that it offers; PLAIN if nil
	way, token, hello string
}

type session struct{ o *office }

func (o *office) NewSession(c *smtp.Conn) (smtp.Session, error) {
	o.hello = c.Hostname()
	return &session{o}, nil
}

func (s *session) AuthMechanisms() []string {
	if s.o.ways == nil {
		return []string{sasl.Plain}
	}
	return s.o.ways
}

func (s *session) Auth(way string) (sasl.Server, error) { return s.loggedIn(way) }

func (s *session) Mail(string, *smtp.MailOptions) error { return s.o.refuses }

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if err := s.o.unknown[to]; err != nil {
		return err
	}
	s.o.to = append(s.o.to, to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	s.o.mu.Lock()
	defer s.o.mu.Unlock()
	s.o.letters = append(s.o.letters, string(b))
	return err
}

func (*session) Reset() {}

func (*session) Logout() error { return nil }

// serve runs a mail server on a free port, with TLS from the first byte or by STARTTLS. It returns the address and a
// sender that trusts the server's certificate.
func (o *office) serve(t *testing.T, implicit bool) (address string, s *Sender) {
	t.Helper()
	lender := httptest.NewUnstartedServer(nil) // provides a certificate for 127.0.0.1
	lender.StartTLS()
	t.Cleanup(lender.Close)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	server := smtp.NewServer(o)
	server.Domain, server.ErrorLog = "mail.example", log.New(io.Discard, "", 0)
	server.TLSConfig = &tls.Config{Certificates: lender.TLS.Certificates, MinVersion: tls.VersionTLS12}
	t.Cleanup(func() { _ = server.Close() })
	address = listener.Addr().String()
	if implicit {
		listener = tls.NewListener(listener, server.TLSConfig)
	}
	go func() { _ = server.Serve(listener) }()
	s = sender(t, "127.0.0.1")
	s.roots = x509.NewCertPool()
	s.roots.AddCert(lender.Certificate())
	return address, s
}

// TestW8Mail checks that a letter reaches a real mail server over TLS, from the first byte or by STARTTLS, complete
// and with the id of the message, and that the text of a page cannot end a header (W8).
func TestW8Mail(t *testing.T) {
	for _, encryption := range []string{"ExplicitTLS", "ImplicitTLS"} {
		o := &office{}
		address, s := o.serve(t, encryption == "ImplicitTLS")
		m := message
		m.Title = "Costs – of\r\nBcc: eve@evil.example"
		m.Text = strings.Repeat("+ 30 €\n", 100) + ".\n.\r\nQUIT"
		got := one(s, t.Context(), Target{Service: "smtp://anna:hunter2@" + address +
			"/?from=Tidemark%20%3Ct@a.example%3E&to=b@b.example,c@c.example&encryption=" + encryption}, m)
		if !got.OK || len(o.letters) != 1 || o.user != "anna" || len(o.to) != 2 {
			t.Fatalf("%s: %+v, %+v", encryption, got, o)
		}
		letter, err := mail.ReadMessage(strings.NewReader(o.letters[0]))
		must(t, err)
		h := letter.Header
		if h.Get("Message-ID") != "<a-1@tidemark>" || h.Get("Bcc") != "" || h.Get("Auto-Submitted") != "auto-generated" ||
			!strings.HasPrefix(h.Get("Subject"), "=?utf-8?q?") {
			t.Errorf("%s: %v", encryption, h)
		}
	}
}

// TestW20Mail checks that a mail has a message as text and as HTML, and nothing else.
func TestW20Mail(t *testing.T) {
	o := &office{}
	address, s := o.serve(t, false)
	m := Message{ID: "a-1", Title: "Lamp: 79 → 84 EUR", Text: "short", Foot: "Rule: Prices", Mail: "- 79 EUR\n+ 84 EUR",
		HTML: "<p>- <del>79</del> EUR</p>\n--" + boundary}
	if got := one(s, t.Context(), Target{Service: "smtp://" + address + "/?from=t@a.example&to=b@b.example"}, m); !got.OK {
		t.Fatalf("%+v", got)
	}
	letter, err := mail.ReadMessage(strings.NewReader(o.letters[0]))
	must(t, err)
	subject, err := new(mime.WordDecoder).DecodeHeader(letter.Header.Get("Subject"))
	if must(t, err); subject != m.Title {
		t.Errorf("the subject is %q", subject)
	}
	_, params, err := mime.ParseMediaType(letter.Header.Get("Content-Type"))
	must(t, err)
	var have []string
	for parts := multipart.NewReader(letter.Body, params["boundary"]); ; {
		p, err := parts.NextPart()
		if err == io.EOF {
			break
		}
		must(t, err)
		body, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, p))
		must(t, err)
		have = append(have, p.Header.Get("Content-Type"), strings.ReplaceAll(string(body), "\r\n", "\n"))
	}
	want := []string{"text/plain; charset=utf-8", m.Mail + "\n", "text/html; charset=utf-8", m.HTML + "\n"}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
}

// W20: TestW20MailsCanBeStopped checks the headers by which a mail program stops a mail at one press, as a mail server
// gets them: with an address of https both, with one of http no form (RFC 8058 §3.1), and none without an address, or
// with one that cannot be used. The headers of a long subject are folded and say the same.
func TestW20MailsCanBeStopped(t *testing.T) {
	o := &office{}
	address, s := o.serve(t, false)
	const stop = "https://tide.example/api/ui/m/abc_-"
	title := strings.Repeat("Storm lamp – ", 15) + "79 → 84 EUR"
	for _, tt := range []struct{ stop, list, form string }{
		{stop, "<" + stop + ">", "List-Unsubscribe=One-Click"},
		{"http://tide.local:7071/api/ui/m/abc", "<http://tide.local:7071/api/ui/m/abc>", ""},
		{"", "", ""},
		{"javascript:alert(1)", "", ""},
		{"https://tide.example/>\r\nBcc: eve@evil.example", "", ""},
		{"https://tide.example/" + strings.Repeat("a", maxStop), "", ""},
	} {
		m := Message{ID: "a-1", Title: title, Text: "text", Mail: "mail", HTML: "<p>mail</p>", Stop: tt.stop}
		if got := one(s, t.Context(), Target{Service: "smtp://" + address + "/?from=t@a.example&to=b@b.example"},
			m); !got.OK {
			t.Fatalf("%+v", got)
		}
		raw := o.letters[len(o.letters)-1]
		letter, err := mail.ReadMessage(strings.NewReader(raw))
		must(t, err)
		h := letter.Header
		if h.Get("List-Unsubscribe") != tt.list || h.Get("List-Unsubscribe-Post") != tt.form || h.Get("Bcc") != "" {
			t.Errorf("%q: %v", tt.stop, h)
		}
		subject, err := new(mime.WordDecoder).DecodeHeader(h.Get("Subject"))
		if must(t, err); subject != title {
			t.Errorf("the subject is %q", subject)
		}
		for line := range strings.SplitSeq(raw, "\r\n") {
			most := 78
			if strings.HasPrefix(line, "Subject: =?") {
				most = len("Subject: ") + 75 // one encoded word, which cannot be broken (RFC 2047 §2)
			}
			if len(line) > most && !strings.HasPrefix(line, "List-Unsubscribe:") {
				t.Errorf("a line of %d bytes: %s", len(line), line)
			}
		}
	}
	if have := folded(strings.Repeat("word ", 40) + "end"); strings.ReplaceAll(have, "\r\n", "") !=
		strings.Repeat("word ", 40)+"end" || strings.Count(have, "\r\n ") < 2 {
		t.Errorf("folded: %q", have)
	}
}

// W20: TestW20Foot checks that the foot of a message is whole or cut between its lines, and that the text gives way.
func TestW20Foot(t *testing.T) {
	m := Message{Title: "Lamp", URL: "https://a.example/", Text: strings.Repeat("word ", 100),
		Foot: "Why: https://b.example/w\nMute: https://b.example/" + strings.Repeat("m", 80)}
	for most, want := range map[int]string{60: "", 100: "\nWhy: https://b.example/w", 400: "\n" + m.Foot} {
		k := markup{most: most, unit: points}
		if have := k.message(m); points(have) > most || !strings.HasSuffix(have, want) ||
			want == "" && strings.Contains(have, "Why") || !strings.Contains(have, "word") {
			t.Errorf("within %d: %q", most, have)
		}
	}
}

// TestW8MailRefused checks that the refusal of a mail server is reported in its own words, that no password is sent
// without TLS, and that nothing is sent to a server without a valid certificate (W8).
func TestW8MailRefused(t *testing.T) {
	o := &office{}
	address, s := o.serve(t, false)
	const query = "/?from=t@a.example&to=b@b.example"
	send := func(s *Sender, address string) Result { return one(s, t.Context(), Target{Service: address}, message) }
	if got := send(s, "smtp://anna:wrong@"+address+query); got.OK || got.Status == 0 || !got.Ill {
		t.Errorf("a wrong password: %+v", got)
	}
	o.refuses = &smtp.SMTPError{Code: 552, Message: "mailbox is full"}
	if got := send(s, "smtp://anna:hunter2@"+address+query); got.Status != 552 || got.Ill ||
		!strings.Contains(got.Body, "mailbox is full") {
		t.Errorf("a full mailbox: %+v", got)
	}
	o.refuses = nil
	if _, _, err := Check("smtp://anna:hunter2@" + address + query + "&encryption=None"); err == nil {
		t.Error("a password without TLS is taken")
	}
	if got := send(sender(t, "127.0.0.1"), "smtp://anna:hunter2@"+address+query); got.OK ||
		!strings.Contains(got.Error, "certificate") {
		t.Errorf("a stranger's certificate: %+v", got)
	}
	bare := smtp.NewServer(o)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = bare.Close() })
	go func() { _ = bare.Serve(listener) }()
	if got := send(s, "smtp://anna:hunter2@"+listener.Addr().String()+query); got.OK ||
		!strings.Contains(got.Error, errNoTLS.Error()) {
		t.Errorf("no TLS: %+v", got)
	}
	if got := send(s, "smtp://"+listener.Addr().String()+query+"&encryption=None"); !got.OK {
		t.Errorf("a relay without password: %+v", got)
	}
	if o.user != "" && len(o.letters) != 1 {
		t.Errorf("%+v", o)
	}
}

// TestY7Recipients checks that a recipient that a mail server refuses costs only itself, and that the lines of a letter
// to many are short.
func TestY7Recipients(t *testing.T) {
	o := &office{unknown: map[string]error{"bad@a.example": &smtp.SMTPError{Code: 550, Message: "no such user"},
		"full@a.example": &smtp.SMTPError{Code: 452, Message: "mailbox full"}}}
	address, s := o.serve(t, false)
	to := "bad@a.example,good@a.example,full@a.example,good@a.example"
	send := func(only ...string) []Result {
		service := "smtp://" + address + "/?from=t@a.example&to=" + to
		return s.Send(t.Context(), Target{Service: service, Only: only}, message)
	}
	all := send()
	if len(all) != 3 || all[0].OK || all[0].Status != 550 || !all[1].OK || all[2].OK || all[2].Status != 452 ||
		all[2].Ill ||
		all[1].Name != "good@a.example" || strings.Join(o.to, " ") != "good@a.example" || len(o.letters) != 1 {
		t.Fatalf("%+v\n%+v", all, o)
	}
	if all := send("bad@a.example"); len(all) != 1 || all[0].OK || len(o.letters) != 1 {
		t.Errorf("only one that is refused: %+v", all)
	}
	delete(o.unknown, "full@a.example")
	if all := send("full@a.example"); len(all) != 1 || !all[0].OK ||
		strings.Join(o.to, " ") != "good@a.example full@a.example" {
		t.Errorf("only one: %+v\n%+v", all, o)
	}
	o.refuses = &smtp.SMTPError{Code: 451, Message: "later"}
	if all := send("full@a.example", "good@a.example"); len(all) != 2 || !all[0].Ill || all[1].Status != 451 {
		t.Errorf("refused for all: %+v", all)
	}
	o.refuses, to = nil, "first@a.example"
	for i := range 44 {
		to += fmt.Sprintf(",somebody-with-a-long-name-%02d@department.a.example", i)
	}
	if all := send(); !Summary(all).OK {
		t.Fatalf("%+v", all)
	}
	letter := o.letters[len(o.letters)-1]
	for line := range strings.SplitSeq(letter, "\r\n") {
		if len(line) > 78 {
			t.Errorf("a line of %d bytes: %.60s", len(line), line)
		}
	}
	got, err := mail.ReadMessage(strings.NewReader(letter))
	must(t, err)
	if list, err := got.Header.AddressList("To"); err != nil || len(list) != 45 {
		t.Errorf("%d recipients, %v", len(list), err)
	}
}
