package browser

import (
	"io"
	"net"
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
}

func (m *mailSink) all() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.letters, "\n")
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
	defer conn.Close()
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
	s.open("/notifications")
	s.do(chromedp.Click(`main a[href$="new-channel"]`), chromedp.WaitVisible(`a[href$="kind=smtp"]`))
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
	s.press(`main .row button.main`)
	s.reads(".flash", "Its receiver accepted a test")
	if all := sink.all(); strings.Count(all, "Subject:") != 2 || !strings.Contains(all, "anna@a.example") {
		t.Errorf("the sink has %s", all)
	}
	s.everybody(script, "channel-mail-saved")
}
