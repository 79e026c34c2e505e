package send

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/smtp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// The ways to log in to a mail server.
const (
	plainLogin = "PLAIN"
	wordLogin  = "LOGIN"
	cramLogin  = "CRAM-MD5"
	tokenLogin = "XOAUTH2"
)

// logins has the ways to log in, by their names in addresses. Without a name, the first one counts that the server
// offers.
var logins = map[string]string{"plain": plainLogin, "login": wordLogin, "crammd5": cramLogin, "cram-md5": cramLogin,
	"oauth2": tokenLogin, "xoauth2": tokenLogin}

var (
	errNoLogin = fault.New(fault.Invalid, "it offers no way to log in that is known here: want "+plainLogin+", "+wordLogin+
		" or "+cramLogin)
	errOtherLogin = fault.New(fault.Invalid, "it does not offer the login that auth names")
)

// grant is what an address says of tokens: they are asked for with the credentials of a client (RFC 6749 §4.4).
type grant struct{ address, client, secret, scope string }

// login logs in to a mail server. The connection uses TLS.
func (s *Sender) login(ctx context.Context, c *smtp.Client, b box) error {
	_, text := c.Extension("AUTH")
	offered := strings.Fields(strings.ToUpper(text))
	way := b.way
	if way == "" {
		for _, known := range []string{plainLogin, wordLogin, cramLogin} {
			if slices.Contains(offered, known) {
				way = known
				break
			}
		}
		if way == "" {
			return errNoLogin
		}
	} else if !slices.Contains(offered, way) {
		return errOtherLogin
	}
	switch way {
	case wordLogin:
		return c.Auth(&nameAndPassword{b.user, b.password})
	case cramLogin:
		return c.Auth(smtp.CRAMMD5Auth(b.user, b.password))
	case tokenLogin:
		token, err := s.token(ctx, b.grant)
		if err != nil {
			return err
		}
		return c.Auth(bearer("user=" + b.user + "\x01auth=Bearer " + token + "\x01\x01"))
	}
	return c.Auth(smtp.PlainAuth("", b.user, b.password, b.host))
}

// errBare refuses to log in over a connection without TLS.
var errBare = errors.New("a password is never sent without TLS")

// nameAndPassword are the answers to the two questions of AUTH LOGIN.
type nameAndPassword []string

func (w *nameAndPassword) Start(server *smtp.ServerInfo) (string, []byte, error) {
	if !server.TLS {
		return "", nil, errBare
	}
	return wordLogin, nil, nil
}

func (w *nameAndPassword) Next(_ []byte, more bool) ([]byte, error) {
	if !more {
		return nil, nil
	}
	if len(*w) == 0 {
		return nil, errors.New("it asks for more than a name and a password")
	}
	next := (*w)[0]
	*w = (*w)[1:]
	return []byte(next), nil
}

// bearer is the response of AUTH XOAUTH2.
type bearer string

func (b bearer) Start(server *smtp.ServerInfo) (string, []byte, error) {
	if !server.TLS {
		return "", nil, errBare
	}
	return tokenLogin, []byte(b), nil
}

// Next answers the reason of a refusal, which the server sends before it refuses.
func (bearer) Next(_ []byte, more bool) ([]byte, error) {
	if more {
		return []byte{}, nil
	}
	return nil, nil
}

var tokenText = regexp.MustCompile(`^[!-~]+$`)

// token asks for a token. Each letter has its own, so that none is old. The error repeats no secret.
func (s *Sender) token(ctx context.Context, g grant) (string, error) {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {g.client}, "client_secret": {g.secret}}
	if g.scope != "" {
		form.Set("scope", g.scope)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.address, strings.NewReader(form.Encode()))
	if err != nil {
		return "", fault.New(fault.Invalid, "the address of tokens cannot be read")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", s.agent)
	res, err := s.http.Do(req)
	if err != nil {
		return "", fault.New(fault.Invalid, "no token: %s", unreached(err).Error)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxRead))
	var got struct {
		Token string `json:"access_token"`
		Type  string `json:"token_type"`
	}
	if err == nil {
		err = json.Unmarshal(body, &got)
	}
	if res.StatusCode != http.StatusOK || err != nil || !tokenText.MatchString(got.Token) ||
		got.Type != "" && !strings.EqualFold(got.Type, "bearer") {
		why := strings.ReplaceAll(parseReply(body).text("error_description", "error"), g.secret, "…")
		return "", fault.New(fault.Invalid, "no token: the server of tokens answers %d: %.200s", res.StatusCode, why)
	}
	return got.Token, nil
}
