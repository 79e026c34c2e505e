package notify

import (
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/notify/send"
	"github.com/tidemark/tidemark/pkg/ops/secrets"
	"github.com/tidemark/tidemark/pkg/storage"
)

func secretKey(n byte) string {
	return base64.StdEncoding.EncodeToString([]byte(strings.Repeat(string('a'+n), 32)))
}

// withKey is the notifier of another process over the rig's store, with these keys.
func (r *rig) withKey(o secrets.Options) *Notifier {
	n := r.over(r.store)
	o.Log = slog.New(slog.DiscardHandler)
	n.base.o.Keys = secrets.Load(o)
	return n
}

func mailSpec(more ...string) api.ChannelSpec {
	f := map[string]string{"host": "smtp.a.example", "user": "tide", "password": "hunter2", "from": "t@a.example",
		"to": "anna@a.example"}
	for i := 0; i < len(more); i += 2 {
		if f[more[i]] = more[i+1]; more[i+1] == "-" {
			delete(f, more[i])
		}
	}
	return api.ChannelSpec{Name: "mail", ChannelSettings: api.ChannelSettings{Kind: "smtp", Fields: f}}
}

func hookSpec(to string) api.ChannelSpec {
	return api.ChannelSpec{Name: "ops", ChannelSettings: api.ChannelSettings{Kind: Webhook, URL: address(to)}}
}

// rowsText is all that the store holds of channels.
func (r *rig) rowsText() string {
	r.t.Helper()
	var out strings.Builder
	for e, err := range r.store.Table(Table).Query(r.t.Context(), storage.Query{Partition: channelsPartition}) {
		must(r.t, err)
		fmt.Fprintf(&out, "%s %v\n", e.Row, e.Props)
	}
	return out.String()
}

func problem(t *testing.T, n *Notifier, name string) string {
	t.Helper()
	all, err := n.Channels(t.Context())
	must(t, err)
	for _, c := range all.Channels {
		if c.Name == name {
			return c.Problem
		}
	}
	t.Fatalf("there is no channel %s", name)
	return ""
}

// TestP1SecretsAreEncrypted checks that the store holds no secret in the clear, that the channel works, and that after
// a restore without the key, or with another, Tidemark says which channels need their secret (P1).
func TestP1SecretsAreEncrypted(t *testing.T) {
	r := newRig(t)
	n := r.withKey(secrets.Options{Key: secretKey(0)})
	_, err := n.SaveChannel(t.Context(), mailSpec(), true)
	must(t, err)
	hook, err := n.SaveChannel(t.Context(), hookSpec("ops"), true)
	must(t, err)
	if rows := r.rowsText(); strings.Contains(rows, "hunter2") || strings.Contains(rows, hook.SigningSecret) ||
		hook.SigningSecret == "" {
		t.Errorf("a secret is in the store: %s", rows)
	}
	c, _, err := n.channel(t.Context(), "mail")
	must(t, err)
	to, err := n.resolver.target(c)
	if err != nil || !strings.HasPrefix(to.Service, "smtp://tide:hunter2@smtp.a.example:587/") {
		t.Errorf("%+v, %v", to, err)
	}
	for _, o := range []secrets.Options{{}, {Key: secretKey(1)}} {
		other := r.withKey(o)
		must(t, other.Reseal(t.Context()))
		for _, name := range []string{"mail", "ops"} {
			want := map[string]string{"mail": "its secret is needed again", "ops": "save it: a new signing secret"}[name]
			if why := problem(t, other, name); !strings.Contains(why, want) {
				t.Errorf("%s with %v: %q", name, o, why)
			}
		}
	}
	again := r.withKey(secrets.Options{Key: secretKey(1)})
	_, err = again.SaveChannel(t.Context(), mailSpec("password", "-"), false)
	if fault.FieldOf(err) != "fields.password" {
		t.Errorf("a secret that cannot be decrypted is kept: %v", err)
	}
	_, err = again.SaveChannel(t.Context(), mailSpec(), false)
	must(t, err)
	made, err := again.SaveChannel(t.Context(), hookSpec("ops"), false)
	must(t, err)
	if made.SigningSecret == "" || made.SigningSecret == hook.SigningSecret ||
		problem(t, again, "mail")+problem(t, again, "ops") != "" {
		t.Errorf("%+v, %s %s", made, problem(t, again, "mail"), problem(t, again, "ops"))
	}
}

// TestP1KeyIsReplaced checks that what a former key has encrypted, and the secrets of webhooks that older releases
// stored, are encrypted with the present key at the start, and that only then the former key may go (P1).
func TestP1KeyIsReplaced(t *testing.T) {
	r := newRig(t)
	hook, err := r.Notifier.SaveChannel(t.Context(), hookSpec("ops"), true)
	must(t, err)
	if rows := r.rowsText(); !strings.Contains(rows, hook.SigningSecret) {
		t.Fatalf("a webhook without a key for secrets: %s", rows)
	}
	first := r.withKey(secrets.Options{Key: secretKey(0)})
	must(t, first.Reseal(t.Context()))
	if rows := r.rowsText(); strings.Contains(rows, "whsec_") {
		t.Fatalf("it is not encrypted: %s", rows)
	}
	_, err = first.SaveChannel(t.Context(), mailSpec(), true)
	must(t, err)
	both := r.withKey(secrets.Options{Key: secretKey(1), Old: secretKey(0)})
	if why := problem(t, both, "mail") + problem(t, both, "ops"); why != "" {
		t.Error(why)
	}
	must(t, both.Reseal(t.Context()))
	rows := r.rowsText()
	must(t, both.Reseal(t.Context())) // no row is written without need
	last := r.withKey(secrets.Options{Key: secretKey(1)})
	c, _, err := last.channel(t.Context(), "ops")
	must(t, err)
	key, err := last.resolver.signingSecret(c)
	if key != hook.SigningSecret || problem(t, last, "mail") != "" || rows != r.rowsText() {
		t.Errorf("%v; %s; %s", err, problem(t, last, "mail"), r.rowsText())
	}
	kept, err := last.SaveChannel(t.Context(), hookSpec("other"), false)
	must(t, err)
	if kept.SigningSecret != "" || kept.Problem != "" {
		t.Errorf("a changed webhook has another secret: %+v", kept)
	}
}

// TestP1RowsThatWereChanged checks that a secret in the store cannot be sent elsewhere by changing the rows: its host,
// the recorded destination, its field or its channel, or be sent in the clear (P1).
func TestP1RowsThatWereChanged(t *testing.T) {
	r := newRig(t)
	n := r.withKey(secrets.Options{Key: secretKey(0)})
	_, err := n.SaveChannel(t.Context(), mailSpec(), true)
	must(t, err)
	good, etag, err := channelRows.Load(t.Context(), n.rows, channelKey("mail"))
	must(t, err)
	if _, err := n.resolver.target(good.channel()); err != nil || etag == "" {
		t.Fatal(err)
	}
	evil := func(change func(*channelRow)) {
		t.Helper()
		bad := good
		bad.Spec.Fields = map[string]string{}
		for k, v := range good.Spec.Fields {
			bad.Spec.Fields[k] = v
		}
		change(&bad)
		if to, err := n.resolver.target(bad.channel()); err == nil {
			t.Errorf("%+v", to)
		}
	}
	evil(func(c *channelRow) { c.Spec.Fields["host"] = "evil.example" })
	evil(func(c *channelRow) { c.Spec.Fields["host"], c.To = "evil.example", "evil.example:587" })
	evil(func(c *channelRow) { c.Spec.Fields["port"] = "2525" })
	evil(func(c *channelRow) { c.Spec.Name = "other" })
	evil(func(c *channelRow) { c.Sealed = map[string]string{"user": c.Sealed["password"]} })
	evil(func(c *channelRow) {
		c.Spec.Fields["auth"], c.Spec.Fields["tokenUrl"] = "oauth2", "https://evil.example/"
	})
	_, err = n.SaveChannel(t.Context(), hookSpec("ops"), true)
	must(t, err)
	good, _, err = channelRows.Load(t.Context(), n.rows, channelKey("ops"))
	must(t, err)
	if _, err := n.resolver.target(good.channel()); err != nil {
		t.Fatal(err)
	}
	evil(func(c *channelRow) { c.Spec.URL = "https://evil.example/" })
	evil(func(c *channelRow) { c.Spec.URL = "http://ops.example:443/" })
	evil(func(c *channelRow) { c.Spec.URL, c.Spec.URLFrom = "", "EVIL" })
	_, err = n.SaveChannel(t.Context(), api.ChannelSpec{Name: "phone",
		ChannelSettings: api.ChannelSettings{Kind: "ntfy", Fields: map[string]string{
			"topic": "t", "server": "https://a.example", "token": "tk_1"}}}, true)
	must(t, err)
	good, _, err = channelRows.Load(t.Context(), n.rows, channelKey("phone"))
	must(t, err)
	if _, err := n.resolver.target(good.channel()); err != nil {
		t.Fatal(err)
	}
	evil(func(c *channelRow) { c.Spec.Fields["server"] = "http://a.example:443" })
}

// TestP1KeyFileCannotBeMade checks that Tidemark starts when no key file can be made, and that webhooks stay as they
// are and can be saved (P1).
func TestP1KeyFileCannotBeMade(t *testing.T) {
	r := newRig(t)
	_, err := r.Notifier.SaveChannel(t.Context(), hookSpec("ops"), true)
	must(t, err)
	folder := filepath.Join(t.TempDir(), "new")
	n, other := r.withKey(secrets.Options{Folder: folder}), r.withKey(secrets.Options{Folder: folder})
	must(t, os.WriteFile(folder, nil, 0o600)) // a file in place of the folder
	before := r.rowsText()
	if err := n.Reseal(t.Context()); err != nil || r.rowsText() != before {
		t.Errorf("%v: %s", err, r.rowsText())
	}
	hook := hookSpec("second")
	hook.Name = "second"
	_, err = other.SaveChannel(t.Context(), hook, true)
	must(t, err)
	if why := problem(t, other, "ops") + problem(t, other, "second"); why != "" {
		t.Error(why)
	}
}

// TestP1NoKey checks that without a key, as in Azure, typed secrets are refused with what to do, that channels without
// secrets and webhooks work, and that a form from a setting goes on (P1).
func TestP1NoKey(t *testing.T) {
	r := newRig(t)
	_, err := r.Notifier.SaveChannel(t.Context(), mailSpec(), true)
	if fault.FieldOf(err) != "fields.password" || !strings.Contains(err.Error(), secrets.Setting) {
		t.Errorf("%v", err)
	}
	_, err = r.Notifier.SaveChannel(t.Context(), mailSpec("user", "-", "password", "-"), true)
	must(t, err)
	hook, err := r.Notifier.SaveChannel(t.Context(), hookSpec("ops"), true)
	must(t, err)
	r.settings["CREDENTIAL_CHAT"] = "secret ntfy://ntfy.sh/tide"
	_, err = r.Notifier.SaveChannel(t.Context(), api.ChannelSpec{Name: "chat",
		ChannelSettings: api.ChannelSettings{Kind: Service, URLFrom: "CHAT"}}, true)
	must(t, err)
	all, err := r.Channels(t.Context())
	must(t, err)
	for _, c := range all.Channels {
		if c.Problem != "" {
			t.Errorf("%s: %s", c.Name, c.Problem)
		}
	}
	if hook.SigningSecret == "" || !strings.Contains(all.NoSecrets, secrets.Setting) {
		t.Errorf("%+v, %q", hook, all.NoSecrets)
	}
}

// TestP1Guard checks that a channel to an address that is not allowed is neither saved nor tested, whatever its kind,
// that nothing is sent to find out, and that the answer names the setting that allows it (P1).
func TestP1Guard(t *testing.T) {
	r := newRig(t)
	web, err := fetch.New(fetch.Config{AllowHosts: []string{"127.0.0.9"}})
	must(t, err)
	n := r.withKey(secrets.Options{Key: secretKey(0)})
	n.base.o.Admit = send.New(web, "Tidemark", time.Now).Admit
	r.settings["CREDENTIAL_NTFY"] = "secret ntfy://127.0.0.1/tide"
	for _, spec := range []api.ChannelSpec{
		mailSpec("host", "192.168.1.5"), mailSpec("host", "::1"), mailSpec("host", "8.8.8.8", "port", "22"),
		mailSpec("host", "8.8.8.8", "auth", "oauth2", "clientId", "c", "tokenUrl", "https://169.254.169.254/"),
		{Name: "mail",
			ChannelSettings: api.ChannelSettings{Kind: "ntfy",
				Fields: map[string]string{"topic": "t", "server": "http://10.0.0.1:8080"}}},
		{Name: "mail",
			ChannelSettings: api.ChannelSettings{Kind: "mattermost",
				Fields: map[string]string{"webhook": "http://[::1]/hooks/t"}}},
		{Name: "mail", ChannelSettings: api.ChannelSettings{Kind: Webhook, URL: "http://127.0.0.1/"}},
		{Name: "mail", ChannelSettings: api.ChannelSettings{Kind: Service, URLFrom: "NTFY"}},
	} {
		check, err := n.CheckChannel(t.Context(), spec)
		must(t, err)
		answer, err := n.TestChannel(t.Context(), spec)
		must(t, err)
		_, saved := n.SaveChannel(t.Context(), spec, true)
		for what, text := range map[string]string{"check": check.Problem, "test": answer.Error, "save": fmt.Sprint(saved)} {
			if !strings.Contains(text, "WEBHOOK_ALLOW_HOSTS=") {
				t.Errorf("%s %v: %s: %s", spec.Kind, spec.Fields, what, text)
			}
		}
		if len(check.Errors) > 0 || answer.OK || !answer.NotSent {
			t.Errorf("%s %v: %+v, %+v", spec.Kind, spec.Fields, check, answer)
		}
	}
	if len(r.to.sent) > 0 {
		t.Errorf("%v", r.to.sent)
	}
	_, err = n.SaveChannel(t.Context(), mailSpec("host", "127.0.0.9", "port", "3025", "user", "-", "password", "-",
		"encryption", "none"), true)
	must(t, err)
	check, err := n.CheckChannel(t.Context(), mailSpec("host", "192.168.1.5", "to", "-", "from", "-"))
	must(t, err)
	if len(check.Errors) != 2 || !strings.Contains(check.Problem, "192.168.1.5:587") {
		t.Errorf("an incomplete form: %+v", check)
	}
}

// sink is a mail server without encryption, as there are in many networks.
type sink struct {
	mu      sync.Mutex
	letters []string
}

func (s *sink) NewSession(*smtp.Conn) (smtp.Session, error) { return sinkSession{s}, nil }

type sinkSession struct{ *sink }

func (sinkSession) Reset()                               {}
func (sinkSession) Logout() error                        { return nil }
func (sinkSession) Mail(string, *smtp.MailOptions) error { return nil }
func (sinkSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasPrefix(to, "nobody@") {
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such mailbox here"}
	}
	return nil
}

func (s sinkSession) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.letters = append(s.letters, string(b))
	return err
}

func (s *sink) serve(t *testing.T) (port string) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	server := smtp.NewServer(s)
	t.Cleanup(func() { _ = server.Close() })
	go func() { _ = server.Serve(listener) }()
	_, port, err = net.SplitHostPort(listener.Addr().String())
	must(t, err)
	return port
}

// TestP1MailToSink checks the way from a form to a real mail server: a test before saving that saves nothing, the
// server's own words when it refuses, and the mail of a change (P1).
func TestP1MailToSink(t *testing.T) {
	r, s := newRig(t), &sink{}
	web, err := fetch.New(fetch.Config{AllowHosts: []string{"127.0.0.1"}})
	must(t, err)
	sender := send.New(web, "Tidemark", func() time.Time { return r.now })
	n := New(r.store, r.feed, sender, Options{Clock: func() time.Time { return r.now }, Admit: sender.Admit})
	spec := mailSpec("host", "127.0.0.1", "port", s.serve(t), "encryption", "none", "user", "-", "password", "-")
	answer, err := n.TestChannel(t.Context(), spec)
	if err != nil || !answer.OK || len(s.letters) != 1 || r.rowsText() != "" {
		t.Fatalf("%+v, %v, %q, %s", answer, err, s.letters, r.rowsText())
	}
	refused := mailSpec("to", "nobody@a.example")
	refused.Fields["encryption"] = "none"
	refused.Fields["host"], refused.Fields["port"] = spec.Fields["host"], spec.Fields["port"]
	delete(refused.Fields, "user")
	delete(refused.Fields, "password")
	if answer, err = n.TestChannel(t.Context(), refused); err != nil || answer.OK || answer.Status != 550 ||
		!strings.HasSuffix(answer.Body, "no such mailbox here") || answer.NotSent {
		t.Errorf("%+v, %v", answer, err)
	}
	spec.Fields["encryption"] = "starttls"
	if answer, err = n.TestChannel(t.Context(), spec); err != nil || !strings.Contains(answer.Error, "no TLS") {
		t.Errorf("%+v, %v", answer, err)
	}
	spec.Fields["encryption"] = "none"
	_, err = n.SaveChannel(t.Context(), spec, true)
	must(t, err)
	_, err = n.SaveRule(t.Context(), "", api.RuleSpec{Name: "All", Channels: []string{"mail"}})
	must(t, err)
	r.publish(1, feed.Content)
	_, err = n.Follower.Follow(t.Context())
	must(t, err)
	waiting, err := n.Worker.Deliveries(t.Context(), api.DeliveryQuery{State: Waiting, Top: 10})
	must(t, err)
	for _, d := range waiting.Deliveries {
		_, err := n.Worker.Deliver(t.Context(), d.ID)
		must(t, err)
	}
	if len(s.letters) != 2 || !strings.Contains(s.letters[1], "Subject: ") {
		t.Errorf("%q", s.letters)
	}
}
