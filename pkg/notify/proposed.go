package notify

import (
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/notify/form"
	"github.com/tidemark/tidemark/pkg/notify/send"
)

// proposed returns a channel as a request describes it, with its secrets decrypted: those that were typed, and those
// stored ones that may still be used. The old channel is empty if there is none. The errors have the names of fields.
func (r resolver) proposed(spec api.ChannelSpec, old channel) (c channel, errs []error) {
	errs = checkChannel(spec)
	c = channel{ChannelSpec: spec, Origin: Here}
	service, ok := form.Of(spec.Kind)
	if !ok {
		c.To, c.open = webhookTo(spec), form.Values{}
		if spec.Kind == Webhook && spec.Secret == "" {
			c.open[signing] = r.keptSigning(old)
		}
		return c, errs
	}
	all, typed := form.Values{}, form.Values{}
	for name, value := range spec.Fields {
		if value = strings.TrimSpace(value); value == "" {
			continue
		}
		all[name] = value
		if f, _ := service.Field(name); f.Secret {
			typed[name] = value
		}
	}
	if why := r.o.Keys.Problem(); why != "" {
		for name := range typed {
			errs = append(errs, fault.Field(form.Prefix+name, "This secret cannot be stored: %s", why))
		}
	}
	kept, wrong := r.keptSecrets(service, spec, all, old)
	maps.Copy(all, kept)
	_, more := service.Address(all)
	errs = append(append(errs, wrong...), more...)
	c.To, c.open, c.Fields = service.Destination(all), form.Values{}, map[string]string{}
	for name, value := range all {
		if f, _ := service.Field(name); f.Secret {
			c.open[name] = value
		} else {
			c.Fields[name] = value
		}
	}
	return c, once(errs)
}

// keptSecrets returns the stored secrets that a changed channel keeps: those whose fields the request leaves out, and
// which would be sent to the same destination, and not less encrypted. For all others of them it says why they have to
// be typed again.
func (r resolver) keptSecrets(service form.Service, spec api.ChannelSpec, given form.Values, old channel) (form.Values,
	[]error) {
	var names []string
	for _, name := range service.Secrets() {
		_, typed := spec.Fields[name]
		if _, stored := old.Sealed[name]; stored && !typed && old.Kind == spec.Kind {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	again := func(format string, args ...any) (errs []error) {
		for _, name := range names {
			f, _ := service.Field(name)
			end := ""
			if f.Optional {
				end = "; or tick “remove the stored one”"
			}
			errs = append(errs, fault.Field(form.Prefix+name, "Type it again ("+f.Label+"): "+format+end, args...))
		}
		return errs
	}
	before, err := r.values(service, old)
	if err != nil {
		return nil, again("the stored one cannot be used: %w", err)
	}
	kept, after := form.Values{}, maps.Clone(given)
	for _, name := range names {
		kept[name], after[name] = before[name], before[name]
	}
	switch to := service.Destination(after); {
	case to != old.To:
		return nil, again("the stored one is for %s, and would be sent to %s", old.To, to)
	case service.Encrypted(before) && !service.Encrypted(after):
		return nil, again("it would be sent without encryption, and was sent encrypted before")
	}
	return kept, nil
}

// keptSigning returns the generated secret of a webhook that is changed, or a new one.
func (r resolver) keptSigning(old channel) string {
	if old.Kind == Webhook {
		old.Secret = ""
		if key, err := r.signingSecret(old); err == nil && key != "" {
			return key
		}
	}
	return send.NewSecret()
}

// CheckChannel reports what is wrong with a channel that is not saved yet, and whether messages may be sent there.
// Nothing is sent.
func (s *Book) CheckChannel(ctx context.Context, spec api.ChannelSpec) (out api.ChannelCheck, err error) {
	out.Errors = []api.FieldError{}
	old, _, err := s.channel(ctx, spec.Name) // an empty one if there is none
	if err != nil && !fault.Is(err, fault.NotFound) {
		return out, err
	}
	c, errs := s.resolver.proposed(spec, old)
	for _, err := range errs {
		out.Errors = append(out.Errors, api.FieldError{Field: fault.FieldOf(err), Message: err.Error()})
	}
	if _, ok := form.Of(c.Kind); ok {
		out.To = c.To
	}
	if err := s.resolver.admitted(ctx, c); err != nil {
		out.Problem = err.Error()
	} else if _, err := s.resolver.target(c); err != nil && len(errs) == 0 {
		out.Problem = err.Error()
	}
	return out, nil
}

const testTitle = "Tidemark: this is a test"

// TestChannel sends a test message, and returns the receiver's answer. A request with a kind describes the channel;
// otherwise it names a stored one. Nothing is saved.
func (s *Book) TestChannel(ctx context.Context, spec api.ChannelSpec) (out api.ReceiverAnswer, err error) {
	c, _, err := s.channel(ctx, spec.Name)
	if spec.Kind != "" {
		if err != nil && !fault.Is(err, fault.NotFound) {
			return out, err
		}
		var errs []error
		if c, errs = s.resolver.proposed(spec, c); len(errs) > 0 {
			return out, errs[0]
		}
	} else if err != nil {
		return out, err
	}
	to, err := s.resolver.target(c)
	if err == nil {
		if err = s.resolver.admitted(ctx, c); !fault.Is(err, fault.Blocked) {
			err = nil // the attempt shows what else is wrong
		}
	}
	if err != nil {
		return api.ReceiverAnswer{Error: err.Error(), NotSent: true}, nil
	}
	id := "test-" + s.o.Token()
	event := s.event(id, api.EventTest, "", s.now())
	body := jsonBody(api.TestEvent{Event: event, Data: api.TestMessage{Title: testTitle}})
	return send.Summary(s.sender.Send(ctx, to.Target, send.Message{ID: id, Title: testTitle, Body: body})), nil
}

// refusal returns why a channel must not be saved: a mistake, or a destination that is not allowed.
func (r resolver) refusal(ctx context.Context, c channel, errs []error) error {
	if err := first(errors.Join(errs...)); err != nil {
		return err
	}
	if err := r.admitted(ctx, c); fault.Is(err, fault.Blocked) {
		return fault.Field(whereOf(c.ChannelSpec), "%w", err)
	}
	return nil // whatever else is wrong there, such as a setting that is missing, may be mended later
}

// whereOf returns the name of the field with the destination.
func whereOf(c api.ChannelSpec) string {
	if service, ok := form.Of(c.Kind); ok {
		return form.Prefix + service.Where()
	}
	if c.URLFrom != "" {
		return "urlFrom"
	}
	return "url"
}
