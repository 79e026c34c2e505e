package send

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net"
	"net/mail"
	"net/smtp"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// mailPorts are the ports for submitting mail.
var mailPorts = []uint16{25, 465, 587, 2525}

// mailRoots are the root certificates that verify mail servers. If it is nil, the system's roots are used.
type mailRoots = *x509.CertPool

const mailForm = "smtp://USER:PASSWORD@HOST:587/?from=ADDRESS&to=ADDRESS,ADDRESS"

// box is a parsed smtp address: the server, the login, the sender and the recipients.
type box struct {
	address, host  string // the server, with and without the port
	user, password string
	way            string // how to log in; "" for what the server offers
	grant          grant  // for tokens; the password is the secret of the client
	name           string // the name that the client gives itself
	from           *mail.Address
	to             []*mail.Address
	implicit       bool // the connection uses TLS from the first byte
	bare           bool // the connection does not use TLS, so no password may be sent
}

// mailOptions are the options of an address smtp://…, with the values that they may have if not any. Those of shoutrrr
// that cannot be changed here may say what is the case.
var mailOptions = map[string][]string{
	"from": nil, "fromaddress": nil, "fromname": nil, "to": nil, "toaddresses": nil,
	"encryption": {"auto", "implicittls", "explicittls", "none"},
	"auth":       {"unknown", "none", "plain", "login", "crammd5", "cram-md5", "oauth2", "xoauth2"},
	"clienthost": nil,                                // the name in EHLO
	"tokenurl":   nil, "clientid": nil, "scope": nil, // for auth=OAuth2
	"usestarttls": {"yes", "true"}, "requirestarttls": {"yes", "true"}, "skiptlsverify": {"no", "false"},
	"usehtml": {"no", "false"},
}

// readOptions reads the options of an address. Options that would do nothing are refused.
func readOptions(u *url.URL) (map[string]string, error) {
	out := map[string]string{}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, fault.New(fault.Invalid, "the options after ? cannot be read: write %%26 for & in a value")
	}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		lower := strings.ToLower(name)
		values, ok := mailOptions[lower]
		switch {
		case !ok:
			return nil, fault.New(fault.Invalid, "the option %.40q does nothing here: leave it out; known are %s", name,
				strings.Join(slices.Sorted(maps.Keys(mailOptions)), ", "))
		case len(q[name]) > 1 || out[lower] != "":
			return nil, fault.New(fault.Invalid, "the option %.40q is given twice", name)
		case values != nil && !slices.Contains(values, strings.ToLower(q.Get(name))):
			return nil, fault.New(fault.Invalid, "the option %.40q must be %s", name, strings.Join(values, " or "))
		case values != nil:
			out[lower] = strings.ToLower(q.Get(name))
		default:
			out[lower] = q.Get(name)
		}
	}
	return out, nil
}

// mailbox parses an address smtp://….
func mailbox(u *url.URL) (b box, err error) {
	o, err := readOptions(u)
	if err != nil {
		return b, err
	}
	if o["from"] != "" && o["fromaddress"] != "" || o["to"] != "" && o["toaddresses"] != "" {
		return b, fault.New(fault.Invalid,
			"from and fromAddress, and to and toAddresses, are two names of one option: give one")
	}
	b.user = u.User.Username()
	b.password, _ = u.User.Password()
	if b.from, err = mail.ParseAddress(cmp.Or(o["from"], o["fromaddress"])); err == nil {
		b.to, err = mail.ParseAddressList(cmp.Or(o["to"], o["toaddresses"]))
	}
	if err != nil || u.Hostname() == "" || len(b.to) > 50 {
		return b, fault.New(fault.Invalid, "want an address of the form %s", mailForm)
	}
	b.from.Name = cmp.Or(b.from.Name, o["fromname"])
	for _, a := range append(b.to, b.from) {
		a.Address = inASCII(a.Address)
	}
	b.to = eachOnce(b.to)
	port := cmp.Or(u.Port(), "587")
	b.host, b.address = u.Hostname(), net.JoinHostPort(u.Hostname(), port)
	b.implicit = o["encryption"] == "implicittls" || port == "465" && (o["encryption"] == "" || o["encryption"] == "auto")
	if b.bare = o["encryption"] == "none"; b.bare && b.password != "" {
		return b, fault.New(fault.Invalid, "a password is never sent without TLS: leave out encryption=None")
	}
	if b.name = o["clienthost"]; b.name == "" || b.name == "auto" {
		_, b.name, _ = strings.Cut(b.from.Address, "@") // some relays refuse the name localhost
	}
	if !clientName.MatchString(b.name) {
		return b, fault.New(fault.Invalid, "clientHost must be a name such as mail.a.example")
	}
	return b, b.loginBy(o)
}

// clientName matches what may follow EHLO: a domain or the literal of an address (RFC 5321 §4.1.1.1).
var clientName = regexp.MustCompile(`^([0-9A-Za-z_]([0-9A-Za-z._-]{0,253}[0-9A-Za-z])?|\[[0-9A-Za-z.:]{1,60}\])$`)

// inASCII returns a mail address with its domain in the form that every server reads.
func inASCII(address string) string {
	at := strings.LastIndexByte(address, '@')
	if domain, err := idna.Lookup.ToASCII(address[at+1:]); err == nil {
		return address[:at+1] + domain
	}
	return address
}

// loginBy reads how to log in.
func (b *box) loginBy(o map[string]string) error {
	b.way = logins[o["auth"]]
	b.grant = grant{o["tokenurl"], o["clientid"], b.password, o["scope"]}
	switch {
	case o["auth"] == "none" && b.password != "":
		return fault.New(fault.Invalid, "auth=None has no password: leave out one of them")
	case b.way != "" && b.password == "":
		return fault.New(fault.Invalid, "auth needs a user and a password: want the form %s", mailForm)
	case b.way == tokenLogin:
		to, err := url.Parse(b.grant.address)
		if err != nil || to.Scheme != "https" || to.Host == "" || b.grant.client == "" {
			return fault.New(fault.Invalid, "auth=OAuth2 needs tokenUrl=https://… and clientId=…, with the secret of the "+
				"client as the password: tokens are asked for here, and may have a scope=…")
		}
	case b.grant.address+b.grant.client+b.grant.scope != "":
		return fault.New(fault.Invalid, "tokenUrl, clientId and scope are options of auth=OAuth2")
	}
	return nil
}

func eachOnce(all []*mail.Address) (out []*mail.Address) {
	for _, a := range all {
		if !slices.ContainsFunc(out, func(o *mail.Address) bool { return o.Address == a.Address }) {
			out = append(out, a)
		}
	}
	return out
}

// names returns the addresses of the recipients.
func (b box) names() []string {
	out := make([]string, len(b.to))
	for i, a := range b.to {
		out[i] = a.Address
	}
	return out
}

// letter sends a message by SMTP (RFC 5321), over TLS, to those recipients of an address that are wanted.
func (s *Sender) letter(ctx context.Context, u *url.URL, only []string, m Message) []Result {
	b, err := mailbox(u)
	if err != nil {
		return []Result{refused(err)}
	}
	b.to = slices.DeleteFunc(b.to, func(a *mail.Address) bool { return !wanted(only, a.Address) })
	out := make([]Result, len(b.to))
	err = s.connected(ctx, b, func(c *smtp.Client) error { return handIn(c, b, compose(b, m, s.now()), out) })
	if err != nil {
		for i := range out {
			if out[i].Error == "" {
				out[i] = unsent(err)
			}
		}
	}
	for i, a := range b.to {
		out[i].Name = a.Address
	}
	return out
}

// connected connects to a mail server, over TLS and logged in as an address says, and calls a function.
func (s *Sender) connected(ctx context.Context, b box, do func(c *smtp.Client) error) error {
	conn, err := s.mail(ctx, b.address)
	if err != nil {
		return err
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline)
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	secure := &tls.Config{ServerName: b.host, RootCAs: s.roots, MinVersion: tls.VersionTLS12}
	secured := conn // the function above may close conn at any time
	if b.implicit {
		secured = tls.Client(conn, secure)
	}
	c, err := smtp.NewClient(secured, b.host)
	if err != nil {
		return err
	}
	if err := c.Hello(b.name); err != nil {
		return err
	}
	if !b.implicit && !b.bare {
		if ok, _ := c.Extension("STARTTLS"); !ok {
			return errNoTLS
		}
		if err := c.StartTLS(secure); err != nil {
			return err
		}
	}
	if b.password != "" {
		if err := s.login(ctx, c, b); err != nil {
			return err
		}
	}
	return do(c)
}

// handIn submits a letter, and records the server's answer for each recipient. A recipient whom the server refuses
// costs the others nothing (RFC 5321 appendix D.1).
func handIn(c *smtp.Client, b box, letter []byte, out []Result) error {
	if err := c.Mail(b.from.Address); err != nil {
		return err
	}
	taken := 0
	for i, to := range b.to {
		err := c.Rcpt(to.Address)
		if _, answered := errors.AsType[*textproto.Error](err); err != nil && !answered {
			return err
		} else if answered {
			out[i] = unsent(err)
			out[i].Ill = false // the server takes letters to others
			continue
		}
		taken++
	}
	if taken > 0 {
		w, err := c.Data()
		if err != nil {
			return err
		}
		if _, err := w.Write(letter); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
	for i := range out {
		if out[i].Error == "" {
			out[i] = Result{ReceiverAnswer: api.ReceiverAnswer{OK: true, Status: 250}}
		}
	}
	_ = c.Quit() // the letter was already accepted
	return nil
}

var errNoTLS = errors.New("it offers no TLS")

// unsent returns the result for a message that the mail server did not accept.
func unsent(err error) Result {
	if said, ok := errors.AsType[*textproto.Error](err); ok {
		return Result{Ill: said.Code < 500 || said.Code == 535, ReceiverAnswer: api.ReceiverAnswer{Status: said.Code,
			Body: shown([]byte(said.Msg)), Error: "it refuses the message"}}
	}
	if ne, ok := errors.AsType[net.Error](err); ok && ne.Timeout() {
		err = context.DeadlineExceeded
	}
	return unreached(err)
}

// addresses returns a list of addresses, one on a line, because a line has at most 998 bytes (RFC 5322 §2.1.1).
func addresses(all []*mail.Address) string {
	out := make([]string, len(all))
	for i, a := range all {
		out[i] = a.String()
	}
	return strings.Join(out, ",\r\n\t")
}

// boundary separates the parts of a mail. No line of base64 has it.
const boundary = "=_tidemark"

// maxSubject is the longest subject, in bytes.
const maxSubject = 250

// compose writes a mail (RFC 5322), as text and, if the message has that, as HTML. It encodes the title as one word, so
// that text from unknown hosts cannot end the header.
func compose(b box, m Message, now time.Time) []byte {
	var out bytes.Buffer
	header := func(all ...string) {
		for i := 0; i < len(all); i += 2 {
			fmt.Fprintf(&out, "%s: %s\r\n", all[i], all[i+1])
		}
	}
	header("Date", now.UTC().Format(time.RFC1123Z), "Message-ID", "<"+m.ID+"@tidemark>", "From", b.from.String(),
		"To", addresses(b.to),
		"Subject", folded(mime.QEncoding.Encode("utf-8", words.Ellipsis(words.Clean(m.Title), maxSubject))),
		"Auto-Submitted", "auto-generated", // RFC 3834: no automatic replies, please
		"MIME-Version", "1.0")
	header(unsubscribing(m.Stop)...)
	text := asIs.message(m)
	if m.Mail != "" {
		text = asIs.fit(m.Mail, asIs.most)
	}
	part := func(kind, body string) {
		header("Content-Type", kind+"; charset=utf-8", "Content-Transfer-Encoding", "base64")
		out.WriteString("\r\n")
		inBase64(&out, strings.ReplaceAll(body, "\n", "\r\n")+"\r\n")
	}
	if m.HTML == "" {
		part("text/plain", text)
		return out.Bytes()
	}
	header("Content-Type", `multipart/alternative; boundary="`+boundary+`"`)
	out.WriteString("\r\n--" + boundary + "\r\n")
	part("text/plain", text)
	out.WriteString("--" + boundary + "\r\n")
	part("text/html", m.HTML)
	out.WriteString("--" + boundary + "--\r\n")
	return out.Bytes()
}

// unsubscribing returns the headers by which a mail program offers to stop such mails (RFC 2369). It may send the form
// by itself, at one press, if the address is one of https (RFC 8058 §3.1).
func unsubscribing(stop string) []string {
	switch {
	case len(stop) > maxStop || strings.ContainsFunc(stop, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil // no address that a message of Tidemark has
	case strings.HasPrefix(stop, "https://"):
		return []string{"List-Unsubscribe", "<" + stop + ">", "List-Unsubscribe-Post", "List-Unsubscribe=One-Click"}
	case strings.HasPrefix(stop, "http://"):
		return []string{"List-Unsubscribe", "<" + stop + ">"}
	}
	return nil
}

// maxStop is the length of the longest address in a header, whose lines have at most 998 bytes.
const maxStop = 900

// folded breaks a subject of encoded or plain words at blanks, so that lines have at most 78 bytes where they can (RFC
// 5322 §2.1.1).
func folded(subject string) string {
	const most = 78
	var out strings.Builder
	size := len("Subject: ")
	for i, word := range strings.Split(subject, " ") {
		if i > 0 && size+1+len(word) > most {
			out.WriteString("\r\n")
			size = 0
		}
		if i > 0 {
			out.WriteString(" ")
			size++
		}
		out.WriteString(word)
		size += len(word)
	}
	return out.String()
}

// inBase64 writes a text in lines of base64 (RFC 2045 §6.8).
func inBase64(out *bytes.Buffer, text string) {
	all := base64.StdEncoding.EncodeToString([]byte(text))
	for len(all) > 0 {
		n := min(76, len(all))
		out.WriteString(all[:n] + "\r\n")
		all = all[n:]
	}
}
