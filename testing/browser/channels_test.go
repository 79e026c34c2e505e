package browser

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/pem"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http/httptest"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// mailSink is a mail server on this machine that keeps the letters it accepts. It speaks as little SMTP as it can.
type mailSink struct {
	mu      sync.Mutex
	letters []string
	logins  int
	keys    []tls.Certificate // with one, it takes passwords
}

// trusted gives the sink a certificate, and returns the setting by which Tidemark trusts it.
func (m *mailSink) trusted(t *testing.T) (setting string) {
	t.Helper()
	srv := httptest.NewTLSServer(nil)
	defer srv.Close()
	m.keys = srv.TLS.Certificates
	path := filepath.Join(t.TempDir(), "cert.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
	must(t, os.WriteFile(path, text, 0o644))
	return "SSL_CERT_FILE=" + path
}

func (m *mailSink) all() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.letters, "\n")
}

// A letter is a mail as a person reads it.
type letter struct{ subject, text string }

// read returns the letters that came, with the text that a program shows that does not show HTML.
func (m *mailSink) read() (all []letter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, raw := range m.letters {
		read, err := mail.ReadMessage(strings.NewReader(raw))
		if err != nil {
			continue
		}
		var l letter
		l.subject, _ = new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject"))
		_, params, _ := mime.ParseMediaType(read.Header.Get("Content-Type"))
		if part, err := multipart.NewReader(read.Body, params["boundary"]).NextPart(); err == nil {
			text, _ := io.ReadAll(base64.NewDecoder(base64.StdEncoding, part))
			l.text = strings.ReplaceAll(string(text), "\r\n", "\n")
		}
		all = append(all, l)
	}
	return all
}

// subjects returns the subjects of the letters.
func (m *mailSink) subjects() (all []string) {
	for _, l := range m.read() {
		all = append(all, l.subject)
	}
	return all
}

func (m *mailSink) serve(t *testing.T) (port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go m.talk(conn)
		}
	}()
	_, port, err = net.SplitHostPort(l.Addr().String())
	must(t, err)
	return port
}

func (m *mailSink) talk(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(patience))
	say := func(line string) { _, _ = io.WriteString(conn, line+"\r\n") }
	say("220 sink")
	var letter strings.Builder
	in, buf := "", make([]byte, 4096)
	data := false
	for {
		n, err := conn.Read(buf)
		if err != nil {
			return
		}
		for in += string(buf[:n]); strings.Contains(in, "\r\n"); {
			var line string
			line, in, _ = strings.Cut(in, "\r\n")
			switch verb := strings.ToUpper(line); {
			case data && line == ".":
				m.mu.Lock()
				m.letters = append(m.letters, letter.String())
				m.mu.Unlock()
				data = false
				say("250 kept")
			case data:
				letter.WriteString(line + "\n")
			case strings.HasPrefix(verb, "EHLO") && len(m.keys) > 0:
				say("250-sink\r\n250-STARTTLS\r\n250 AUTH PLAIN")
			case strings.HasPrefix(verb, "STARTTLS"):
				say("220 go on")
				conn = tls.Server(conn, &tls.Config{Certificates: m.keys})
			case strings.HasPrefix(verb, "AUTH"):
				m.mu.Lock()
				m.logins++
				m.mu.Unlock()
				say("235 welcome")
			case strings.HasPrefix(verb, "DATA"):
				data = true
				say("354 go on")
			case strings.HasPrefix(verb, "QUIT"):
				say("221 bye")
				return
			case strings.HasPrefix(verb, "RCPT TO:<NOBODY@"):
				say("550 no such mailbox here")
			default:
				say("250 yes")
			}
		}
	}
}

// TestMailChannel sets up mail on a phone: what is typed is checked, an address that is not allowed is said before
// saving, the server's refusal is shown in its words, and what was typed stays until the channel is saved, which tests
// it once more (P1).
func TestMailChannel(t *testing.T) {
	sink := &mailSink{}
	port := sink.serve(t)
	s := newStage(t, "WEBHOOK_ALLOW_HOSTS=127.0.0.1:"+port)
	script := axe(t)
	s.do(chromedp.EmulateViewport(390, 844))
	s.open("/notifications/channels")
	s.do(chromedp.WaitVisible(`a[href$="kind=smtp"]`))
	s.everybody(script, "channel-services")
	s.do(chromedp.Click(`a[href$="kind=smtp"]`), chromedp.WaitVisible(`[name="fields.host"]`))
	s.everybody(script, "channel-mail")
	s.do(chromedp.SendKeys(`[name="fields.to"]`, "Anna"))
	s.reads(`[data-note="fields.to"]`, "must be mail addresses")
	s.do(chromedp.SendKeys(`[name="fields.port"]`, "465"))
	var chosen string
	s.do(chromedp.Value(`[name="fields.encryption"]`, &chosen))
	if chosen != "tls" {
		t.Errorf("port 465 goes with %s", chosen)
	}
	s.do(chromedp.SendKeys(`[name="fields.host"]`, "192.168.1.5"))
	s.reads("#checked", "WEBHOOK_ALLOW_HOSTS=192.168.1.5:465")
	s.everybody(script, "channel-not-allowed")
	fill := func(name, value string) {
		s.do(chromedp.Evaluate(`document.getElementsByName("`+name+`")[0].value = ""`, nil),
			chromedp.SendKeys(`[name="`+name+`"]`, value))
	}
	fill("fields.host", "127.0.0.1")
	fill("fields.port", port)
	fill("fields.to", "nobody@a.example")
	fill("fields.from", "tide@a.example")
	s.do(chromedp.SetValue(`[name="fields.encryption"]`, "none"))
	s.press(`button[value="test"]`)
	s.reads("#answer", "no such mailbox here")
	fill("fields.to", "anna@a.example")
	s.press(`button[value="test"]`)
	s.reads("#answer", "The receiver accepted the test")
	s.everybody(script, "channel-tested")
	s.press(`main .go button.main`)
	s.reads(".toast", "Its receiver accepted a test")
	if all := sink.all(); strings.Count(all, "Subject:") != 2 || !strings.Contains(all, "anna@a.example") {
		t.Errorf("the sink has %s", all)
	}
	s.everybody(script, "channel-mail-saved")
}
