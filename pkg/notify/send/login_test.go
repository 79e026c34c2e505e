package send

import (
	"crypto/hmac"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/emersion/go-sasl"
)

// saslServer is the server's side of a way to log in.
type saslServer func(response []byte) (challenge []byte, done bool, err error)

func (f saslServer) Next(response []byte) ([]byte, bool, error) { return f(response) }

// loggedIn is the server's side of the ways that go-sasl has no server for.
func (s *session) loggedIn(way string) (sasl.Server, error) {
	s.o.way = way
	accept := func(user string, right bool) error {
		if !right {
			return errors.New("wrong password")
		}
		s.o.user = user
		return nil
	}
	switch way {
	case plainLogin:
		return sasl.NewPlainServer(func(_, user, password string) error { return accept(user, password == "hunter2") }), nil
	case wordLogin:
		var said []string
		return saslServer(func(response []byte) ([]byte, bool, error) {
			if response != nil {
				said = append(said, string(response))
			}
			if len(said) < 2 {
				return []byte([]string{"Username:", "Password:"}[len(said)]), false, nil
			}
			return nil, true, accept(said[0], said[1] == "hunter2")
		}), nil
	case cramLogin:
		const challenge = "<1.2@mail.example>"
		return saslServer(func(response []byte) ([]byte, bool, error) {
			if response == nil {
				return []byte(challenge), false, nil
			}
			mac := hmac.New(md5.New, []byte("hunter2"))
			mac.Write([]byte(challenge))
			user, sum, _ := strings.Cut(string(response), " ")
			return nil, true, accept(user, sum == hex.EncodeToString(mac.Sum(nil)))
		}), nil
	case tokenLogin:
		return saslServer(func(response []byte) ([]byte, bool, error) {
			user, rest, ok := strings.Cut(strings.TrimPrefix(string(response), "user="), "\x01auth=Bearer ")
			if !ok {
				return nil, true, errors.New("refused")
			}
			if rest != s.o.token+"\x01\x01" {
				return []byte(`{"status":"401"}`), false, nil
			}
			return nil, true, accept(user, true)
		}), nil
	}
	return nil, errors.New("unknown")
}

// TestY8Logins checks that a login takes the way that the server offers, or the one that the address names, and that a
// server without such a way gets no password.
func TestY8Logins(t *testing.T) {
	for _, tt := range []struct{ offers, auth, way, why string }{
		{"LOGIN XOAUTH2", "", wordLogin, ""},
		{"LOGIN PLAIN", "", plainLogin, ""},
		{"CRAM-MD5", "", cramLogin, ""},
		{"PLAIN LOGIN CRAM-MD5", "&auth=Login", wordLogin, ""},
		{"PLAIN LOGIN CRAM-MD5", "&AUTH=CRAMMD5", cramLogin, ""},
		{"PLAIN LOGIN", "&auth=Unknown", plainLogin, ""},
		{"PLAIN", "&auth=Login", "", errOtherLogin.Error()},
		{"GSSAPI XOAUTH2", "", "", errNoLogin.Error()},
	} {
		for _, encryption := range []string{"ExplicitTLS", "ImplicitTLS"} {
			o := &office{ways: strings.Fields(tt.offers)}
			address, s := o.serve(t, encryption == "ImplicitTLS")
			got := one(s, t.Context(), Target{Service: "smtp://anna:hunter2@" + address +
				"/?from=t@a.example&to=b@b.example&encryption=" + encryption + tt.auth}, message)
			if got.OK != (tt.why == "") || !strings.Contains(got.Error, tt.why) || o.way != tt.way ||
				got.OK != (o.user == "anna") {
				t.Errorf("%s%s: %+v by %q", tt.offers, tt.auth, got, o.way)
			}
			got = one(s, t.Context(), Target{Service: "smtp://anna:wrong@" + address +
				"/?from=t@a.example&to=b@b.example&encryption=" + encryption + tt.auth}, message)
			if got.OK || !got.Ill || strings.Contains(got.Error+got.Body, "wrong@") {
				t.Errorf("%s%s: a wrong password: %+v", tt.offers, tt.auth, got)
			}
		}
	}
}

// TestY8Name checks the name that follows EHLO.
func TestY8Name(t *testing.T) {
	for options, want := range map[string]string{"": "a.example", "&clientHost=mail.b.example": "mail.b.example",
		"&clienthost=auto": "a.example", "&clientHost=[192.0.2.1]": "[192.0.2.1]"} {
		o := &office{}
		address, s := o.serve(t, false)
		got := one(s, t.Context(), Target{Service: "smtp://" + address + "/?from=t@a.example&to=b@bücher.example" + options},
			message)
		if !got.OK || o.hello != want || strings.Join(o.to, "") != "b@xn--bcher-kva.example" {
			t.Errorf("%s: %q, %v: %+v", options, o.hello, o.to, got)
		}
	}
}

// TestY8Options checks that options of an address that would do nothing are refused by name, and that addresses as
// shoutrrr writes them go on working.
func TestY8Options(t *testing.T) {
	const base = "smtp://anna:hunter2@mail.example:587/?"
	for query, why := range map[string]string{
		"from=a@b.c&to=d@e.f":                       "",
		"fromAddress=a@b.c&toAddresses=d@e.f,g@h.i": "",
		"fromaddress=a@b.c&fromname=Tide&toaddresses=d@e.f&auth=Plain&encryption=Auto&useStartTLS=Yes&useHTML=No": "",
		"from=a@b.c&to=d@e.f&useHTML=Yes":                                                        `"useHTML" must be`,
		"from=a@b.c&to=d@e.f&skipTLSVerify=yes":                                                  `"skipTLSVerify" must be`,
		"from=a@b.c&to=d@e.f&subject=News":                                                       `"subject" does nothing`,
		"from=a@b.c&to=d@e.f&tokenUrl=https://t.example/":                                        "options of auth=OAuth2",
		"from=a@b.c&to=d@e.f&auth=OAuth2":                                                        "needs tokenUrl",
		"from=a@b.c&to=d@e.f&auth=OAuth2&clientId=c&tokenUrl=http://t.example/":                  "needs tokenUrl",
		"from=a@b.c&to=d@e.f&auth=OAuth2&clientId=c&tokenUrl=https://t.example/&encryption=None": "never sent without TLS",
		"from=a@b.c&to=d@e.f&auth=None":                                                          "auth=None has no password",
		"from=a@b.c&to=d@e.f&auth=NTLM":                                                          `"auth" must be`,
		"from=a@b.c&to=d@e.f&encryption=None":                                                    "never sent without TLS",
		"from=a@b.c&to=d@e.f&clientHost=a%0d%0aMAIL":                                             "clientHost must be",
		"from=a@b.c&to=d@e.f&auth=Login&Auth=Plain":                                              "given twice",
		"from=a@b.c&from=x@y.z&to=d@e.f":                                                         "given twice",
		"from=a@b.c&to=d@e.f;x=%zz":                                                              "cannot be read",
		"from=a@b.c&fromAddress=a@b.c&to=d@e.f":                                                  "two names",
		"from=a@b.c&to=d@e.f&toAddresses=g@h.i":                                                  "two names",
		"from=a@b.c&to=":                                                                         "want an address",
		"from=a@b.c&to=d@e.f&auth=Login&encryption=StartTLS":                                     `"encryption" must be`,
	} {
		_, _, err := Check(base + query)
		if (err == nil) != (why == "") || err != nil && (!strings.Contains(err.Error(), why) ||
			strings.Contains(err.Error(), "hunter2")) {
			t.Errorf("%s: %v, want %q", query, err, why)
		}
	}
	if _, _, err := Check("smtp://mail.example/?from=a@b.c&to=d@e.f&auth=Login"); err == nil {
		t.Error("a login without a password is accepted")
	}
}

// TestY8Tokens checks a login by a token that the program asks for with the credentials of a client, with a new one for
// each letter, and that neither the secret nor the token is in an error.
func TestY8Tokens(t *testing.T) {
	o := &office{ways: []string{tokenLogin, wordLogin}}
	address, s := o.serve(t, false)
	status, body, asked := http.StatusOK, "", 0
	s.http.Transport = played{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.ParseForm() != nil || r.PostForm.Encode() != "client_id=c&client_secret=hunter2&"+
			"grant_type=client_credentials&scope=https%3A%2F%2Foutlook.office365.com%2F.default" ||
			r.URL.String() != "https://login.example/t/token" {
			t.Errorf("asked %s for %s", r.URL, r.PostForm.Encode())
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})}
	service := "smtp://anna%40a.example:hunter2@" + address + "/?from=anna@a.example&to=b@b.example&auth=OAuth2" +
		"&clientId=c&tokenUrl=https://login.example/t/token&scope=https://outlook.office365.com/.default"
	for i := range 2 {
		o.user, o.token = "", fmt.Sprintf("token-%d==", i)
		body = `{"token_type":"Bearer","expires_in":3599,"access_token":"` + o.token + `"}`
		got := one(s, t.Context(), Target{Service: service}, message)
		if !got.OK || o.user != "anna@a.example" || asked != i+1 {
			t.Fatalf("%d: %+v, %+v", i, got, o)
		}
	}
	o.token = "another"
	if got := one(s, t.Context(), Target{Service: service}, message); got.OK || !got.Ill || got.Status == 0 {
		t.Errorf("a refused token: %+v", got)
	}
	for _, bad := range []struct {
		status int
		body   string
	}{{400, `{"error":"invalid_client","error_description":"the secret hunter2 is wrong"}`}, {200, `{}`}, {200, "<html>"},
		{200, `{"access_token":"a\u0001b"}`}, {200, `{"access_token":"a\r\nQUIT"}`},
		{200, `{"access_token":"a","token_type":"mac"}`}} {
		status, body = bad.status, bad.body
		got := one(s, t.Context(), Target{Service: service}, message)
		if got.OK || !got.Ill || !strings.Contains(got.Error, "no token") || strings.Contains(got.Error+got.Body, "hunter2") {
			t.Errorf("%s: %+v", bad.body, got)
		}
	}
	guarded := sender(t, "127.0.0.1")
	guarded.roots = s.roots
	inner := strings.Replace(service, "https://login.example/t/token", "https://169.254.169.254/token", 1)
	got := one(guarded, t.Context(), Target{Service: inner}, message)
	if got.OK || !strings.Contains(got.Error, "no token") {
		t.Errorf("a token from inside: %+v", got)
	}
}
