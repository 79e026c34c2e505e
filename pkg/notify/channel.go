package notify

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
	"github.com/tidemark/tidemark/pkg/notify/form"
	"github.com/tidemark/tidemark/pkg/notify/send"
)

// Kinds of channels. A channel may also be of a kind of package form.
const (
	Webhook = send.Webhook
	Service = "shoutrrr"
)

// Kinds returns all kinds of channels.
func Kinds() []string { return append([]string{Webhook, Service}, form.Kinds()...) }

var channelName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// signing is the name under which the generated secret of a webhook is encrypted.
const signing = "signing"

// channel is a channel with its secrets.
type channel struct {
	api.ChannelSpec // its fields are those that are not secret

	Origin string
	Own    string            // the generated secret of a webhook, if it is not encrypted
	To     string            // the destination for which secrets are encrypted
	Sealed map[string]string // encrypted secrets, by field
	open   form.Values       // the same decrypted, of a channel that is not stored yet; nil for a stored one
}

// checkChannel reports mistakes in a channel, but not those in the fields of a service. It does not check the app
// settings that the channel names, because they may be set later.
func checkChannel(c api.ChannelSpec) (errs []error) {
	blame := func(field, format string, args ...any) { errs = append(errs, fault.Field(field, format, args...)) }
	if !channelName.MatchString(c.Name) {
		blame("name", "name is %.80q; write 1 to 64 of a-z, 0-9, dot, hyphen and underscore", c.Name)
	}
	_, known := form.Of(c.Kind)
	switch {
	case known:
		if c.URL+c.URLFrom+c.Secret != "" {
			blame("url", "url, urlFrom and secret are of webhooks: a channel of the kind %s has fields", c.Kind)
		}
		return errs
	case c.Kind == Webhook:
		if (c.URL == "") == (c.URLFrom == "") {
			blame("url", "a webhook has a url, or urlFrom, which names a setting %sNAME=secret URL", credential.Prefix)
		}
		if c.URL != "" {
			if err := checkURL(c.URL); err != nil {
				blame("url", "url: %w", err)
			}
		}
	case c.Kind == Service:
		if c.URLFrom == "" {
			blame("urlFrom", "urlFrom must name the setting %sNAME=secret ADDRESS that has the service's address",
				credential.Prefix)
		}
		if c.URL != "" || c.Secret != "" {
			blame("url", "url and secret are of webhooks: the address of a service is a secret, see urlFrom")
		}
	default:
		blame("kind", "kind must be one of %s, not %.40q", strings.Join(Kinds(), ", "), c.Kind)
	}
	for field, name := range map[string]string{"secret": c.Secret, "urlFrom": c.URLFrom} {
		if _, err := credential.Name(name); name != "" && err != nil {
			blame(field, "%s: %w", field, err)
		}
	}
	if len(c.Fields) > 0 {
		blame("fields", "fields are of services such as smtp, not of the kind %.40q", c.Kind)
	}
	return errs
}

// checkURL returns the reason why an address cannot be that of a webhook.
func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || len(text) > 2000:
		return fault.New(fault.Invalid, "want an address such as https://receiver.example/hook")
	case u.User != nil:
		return fault.New(fault.Invalid, "user names and passwords belong in settings: name one by urlFrom")
	}
	return nil
}

// resolver finds the targets of channels, and decides which secrets a changed channel keeps. It reads no rows.
type resolver struct{ o *Options }

// secrets decrypts the secrets of a channel. It reports whether one was encrypted with a former key.
func (r resolver) secrets(c channel) (v form.Values, old bool, err error) {
	if c.open != nil {
		return maps.Clone(c.open), false, nil
	}
	v = form.Values{}
	for _, field := range slices.Sorted(maps.Keys(c.Sealed)) {
		text, was, err := r.o.Keys.Open(c.Sealed[field], c.Name, field, c.To, c.way())
		switch {
		case err != nil && c.Kind == Webhook:
			return nil, false, fault.New(fault.Blocked,
				"save it: a new signing secret is made and shown once. The stored one cannot be decrypted: %w", err)
		case err != nil:
			service, _ := form.Of(c.Kind)
			f, _ := service.Field(field)
			return nil, false, fault.New(fault.Blocked,
				"its secret is needed again: the stored one (%s) cannot be decrypted: %w", cmp.Or(f.Label, field), err)
		}
		v[field], old = text, old || was
	}
	return v, old, nil
}

// way says whether a channel's secrets are sent encrypted. It is part of what they are encrypted for, so that a change
// in the store cannot have them sent in the clear.
func (c channel) way() string {
	service, ok := form.Of(c.Kind)
	if ok && !service.Encrypted(c.Fields) || !ok && strings.HasPrefix(strings.ToLower(c.URL), "http://") {
		return "clear"
	}
	return "tls"
}

// seal returns a channel with its secrets encrypted for its destination.
func (r resolver) seal(c channel, secrets form.Values) (channel, error) {
	c.Sealed, c.open = nil, nil
	for field, text := range secrets {
		sealed, err := r.o.Keys.Seal(text, c.Name, field, c.To, c.way())
		if err != nil {
			return c, err
		}
		if c.Sealed == nil {
			c.Sealed = map[string]string{}
		}
		c.Sealed[field] = sealed
	}
	return c, nil
}

// destination is the target of a channel's messages, with the channel's secrets.
type destination struct {
	send.Target

	service string   // the name of the service, or [Webhook]
	names   []string // of its receivers; the only one of a webhook has the name ""
}

// target returns the target of a channel's messages. The error states what is missing. It never contains a secret.
func (r resolver) target(c channel) (t destination, err error) {
	if service, ok := form.Of(c.Kind); ok {
		v, err := r.values(service, c)
		if err != nil {
			return t, err
		}
		address, errs := service.Address(v)
		if len(errs) > 0 {
			return t, errs[0]
		}
		return of(address)
	}
	address := c.URL
	if c.URLFrom != "" {
		if address, err = credential.ForMessages(r.o.Setting, c.URLFrom); err != nil {
			return t, err
		}
	}
	if c.Kind == Service {
		t, err = of(address)
		fault.Wrap(&err, "setting %s%s", credential.Prefix, c.URLFrom)
		return t, err
	}
	t.Webhook, t.service, t.names = address, Webhook, []string{""}
	if err = checkURL(address); err != nil {
		return t, err
	}
	key, err := r.signingSecret(c)
	if err != nil {
		return t, err
	}
	t.Key, err = send.Key(key)
	fault.Wrap(&err, "the secret of the webhook")
	return t, err
}

// of returns the destination at an address of a service.
func of(address string) (t destination, err error) {
	t.Service = address
	t.service, t.names, err = send.Check(address)
	return t, err
}

// values returns all fields of a channel of a service, secret ones decrypted.
func (r resolver) values(service form.Service, c channel) (form.Values, error) {
	v, _, err := r.secrets(c)
	if err != nil {
		return nil, err
	}
	maps.Copy(v, c.Fields)
	if to := service.Destination(v); to != c.To {
		return nil, fault.New(fault.Blocked, "its secrets are for %s, but its fields name %s: save it again", c.To, to)
	}
	return v, nil
}

// signingSecret returns the secret that signs the messages to a webhook.
func (r resolver) signingSecret(c channel) (string, error) {
	if c.Secret != "" {
		return credential.ForMessages(r.o.Setting, c.Secret)
	}
	if to := webhookTo(c.ChannelSpec); len(c.Sealed) > 0 && to != c.To {
		return "", fault.New(fault.Blocked, "its secret is for %s, but its address is at %s: save it again", c.To, to)
	}
	v, _, err := r.secrets(c)
	return cmp.Or(v[signing], c.Own), err
}

// webhookTo is the destination for which the secret of a webhook is encrypted.
func webhookTo(c api.ChannelSpec) string {
	if c.URLFrom != "" {
		return credential.Prefix + c.URLFrom
	}
	return form.HostAndPort(c.URL)
}

// admitted checks whether messages may be sent to a channel. Errors: Blocked if not; others if that cannot be known.
func (r resolver) admitted(ctx context.Context, c channel) error {
	if r.o.Admit == nil {
		return nil
	}
	var to []send.Address
	if _, ok := form.Of(c.Kind); ok {
		for i, address := range strings.Fields(c.To) { // the fields need not be complete
			to = append(to, send.Address{HostPort: address, Mail: c.Kind == send.Mail && i == 0})
		}
	} else if t, err := r.target(c); err == nil {
		to = send.Addresses(t.Target)
	}
	return r.o.Admit(ctx, to...)
}

// channelJSON returns a channel in the API's form, without its secrets, and the names of its receivers. While these
// cannot be known, the channel is the only one.
func (r resolver) channelJSON(c channel) (out api.Channel, receivers []string) {
	out = api.Channel{ChannelSpec: c.ChannelSpec, Origin: c.Origin}
	if _, ok := form.Of(c.Kind); ok {
		out.Service, out.To, out.Secrets = c.Kind, c.To, slices.Sorted(maps.Keys(c.Sealed))
	}
	t, err := r.target(c)
	if err != nil {
		out.Problem = err.Error()
		return out, []string{""}
	}
	if t.Service != "" {
		out.Service = t.service
	}
	return out, t.names
}
