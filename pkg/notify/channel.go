package notify

import (
	"net/url"
	"regexp"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
	"github.com/tidemark/tidemark/pkg/notify/send"
)

// Kinds of channels.
const (
	Webhook = "webhook"
	Service = "shoutrrr"
)

var channelName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// channel is a channel, with the secret that was generated if the settings of the channel name none.
type channel struct {
	api.ChannelSpec

	Own    string // the generated secret; "" if the settings name one
	Origin string
}

// checkChannel reports mistakes in a channel. It does not check the app settings that the channel names, because they
// may be set later.
func checkChannel(c api.ChannelSpec) (errs []error) {
	blame := func(field, format string, args ...any) { errs = append(errs, fault.Field(field, format, args...)) }
	if !channelName.MatchString(c.Name) {
		blame("name", "name is %.80q; write 1 to 64 of a-z, 0-9, dot, hyphen and underscore", c.Name)
	}
	switch c.Kind {
	case Webhook:
		if (c.URL == "") == (c.URLFrom == "") {
			blame("url", "a webhook has a url, or urlFrom, which names a setting %sNAME=secret URL", credential.Prefix)
		}
		if c.URL != "" {
			if err := checkURL(c.URL); err != nil {
				blame("url", "url: %w", err)
			}
		}
	case Service:
		if c.URLFrom == "" {
			blame("urlFrom", "urlFrom must name the setting %sNAME=secret ADDRESS that has the service's address",
				credential.Prefix)
		}
		if c.URL != "" || c.Secret != "" {
			blame("url", "url and secret are of webhooks: the address of a service is a secret, see urlFrom")
		}
	default:
		blame("kind", "kind must be %s or %s, not %.40q", Webhook, Service, c.Kind)
	}
	for field, name := range map[string]string{"secret": c.Secret, "urlFrom": c.URLFrom} {
		if _, err := credential.Name(name); name != "" && err != nil {
			blame(field, "%s: %w", field, err)
		}
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

// destination is the target of a channel's messages, with the channel's secrets.
type destination struct {
	send.Target

	service string   // the name of the service, or [Webhook]
	names   []string // of its receivers; the only one of a webhook has the name ""
}

// target returns the target of a channel's messages. The error states what is missing. It never contains a secret.
func (s *Book) target(c channel) (t destination, err error) {
	address := c.URL
	if c.URLFrom != "" {
		if address, err = credential.ForMessages(s.o.Setting, c.URLFrom); err != nil {
			return t, err
		}
	}
	if c.Kind == Service {
		t.Service = address
		t.service, t.names, err = send.Check(address)
		fault.Wrap(&err, "setting %s%s", credential.Prefix, c.URLFrom)
		return t, err
	}
	t.Webhook, t.service, t.names = address, Webhook, []string{""}
	if err = checkURL(address); err != nil {
		return t, err
	}
	key := c.Own
	if c.Secret != "" {
		if key, err = credential.ForMessages(s.o.Setting, c.Secret); err != nil {
			return t, err
		}
	}
	t.Key, err = send.Key(key)
	fault.Wrap(&err, "the secret of the webhook")
	return t, err
}

// channelJSON returns a channel in the API's form, without its secrets, and the names of its receivers. While these
// cannot be known, the channel is the only one.
func (s *Book) channelJSON(c channel) (out api.Channel, receivers []string) {
	out = api.Channel{ChannelSpec: c.ChannelSpec, Origin: c.Origin}
	t, err := s.target(c)
	if err != nil {
		out.Problem = err.Error()
		return out, []string{""}
	}
	if t.Service != "" {
		out.Service = t.service
	}
	return out, t.names
}
