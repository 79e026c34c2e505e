package notify

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// channelRow is the stored form of a channel.
type channelRow struct {
	Spec   api.ChannelSpec   `col:"spec,must"`
	Own    string            `col:"own"`
	To     string            `col:"to"`
	Sealed map[string]string `col:"sealed"`
}

func (r channelRow) channel() channel {
	return channel{ChannelSpec: r.Spec, Origin: Here, Own: r.Own, To: r.To, Sealed: r.Sealed}
}

var channelRows = row.Of[channelRow]()

const channelsPartition = "channels"

func channelKey(name string) storage.Key { return storage.Key{Partition: channelsPartition, Row: name} }

// channel returns the channel with a name. Errors: NotFound.
func (s *Book) channel(ctx context.Context, name string) (channel, storage.ETag, error) {
	for _, c := range s.o.File.channels {
		if c.Name == name {
			return c, "", nil
		}
	}
	missing := fault.New(fault.NotFound, "there is no channel %.64q", name)
	if !channelName.MatchString(name) {
		return channel{}, "", missing
	}
	kept, etag, err := channelRows.Load(ctx, s.rows, channelKey(name))
	if err == nil && etag == "" {
		err = missing
	}
	return kept.channel(), etag, err
}

// Channels lists the channels, by name.
func (s *Book) Channels(ctx context.Context) (out api.Channels, err error) {
	all := slices.Clone(s.o.File.channels)
	for e, err := range s.rows.Query(ctx, storage.Query{Partition: channelsPartition}) {
		if err != nil {
			return out, err
		}
		kept, err := channelRows.Decode(e.Props)
		taken := slices.ContainsFunc(s.o.File.channels, func(c channel) bool { return c.Name == e.Row })
		if err == nil && !taken {
			all = append(all, kept.channel())
		}
	}
	slices.SortFunc(all, func(a, b channel) int { return strings.Compare(a.Name, b.Name) })
	out.Channels, out.NoSecrets = []api.Channel{}, s.o.Keys.Problem()
	for _, c := range all {
		shown, receivers := s.resolver.channelJSON(c)
		h, err := s.health(ctx, c.Name)
		if err != nil {
			return out, err
		}
		shown.RestsUntil = h.Until(receivers, s.now())
		out.Channels = append(out.Channels, shown)
	}
	return out, nil
}

// SaveChannel makes a new channel or changes an existing one. If the settings of a webhook name no secret,
// SaveChannel generates a secret. Only the result of this call contains that secret.
func (s *Book) SaveChannel(ctx context.Context, spec api.ChannelSpec, make bool) (out api.Channel, err error) {
	return changeChannel(ctx, s, spec.Name, make, func(channel) (api.ChannelSpec, error) { return spec, nil })
}

// changeChannel stores what a function makes of a channel, which is empty if it is to be made.
func changeChannel(ctx context.Context, s *Book, name string, make bool,
	change func(old channel) (api.ChannelSpec, error)) (out api.Channel, err error) {
	old, etag, err := s.channel(ctx, name)
	switch {
	case old.Origin == FromFile:
		return out, ofFile(s.o.File.name, "channel", name)
	case make && err == nil:
		return out, fault.New(fault.Conflict, "there is a channel %q", name)
	case make && fault.Is(err, fault.NotFound):
		old, err = channel{}, nil
	}
	if err != nil {
		return out, err
	}
	spec, err := change(old)
	if err == nil {
		err = first(errors.Join(checkChannel(spec)...))
	}
	if err != nil {
		return out, err
	}
	next, errs := s.resolver.proposed(spec, old)
	if err := s.resolver.refusal(ctx, next, errs); err != nil {
		return out, err
	}
	key := next.open[signing]
	if next, err = s.resolver.stored(next); err != nil {
		return out, err
	}
	if _, err := s.rows.Transact(ctx, next.put(etag)); err != nil {
		return out, err
	}
	out, _ = s.resolver.channelJSON(next)
	if before, err := s.resolver.signingSecret(old); key != "" && (err != nil || key != before) {
		out.SigningSecret = key
	}
	return out, nil
}

// stored returns a channel as it is stored. Without a key, the generated secret of a webhook is stored as it is.
func (r resolver) stored(c channel) (channel, error) {
	c.Own = ""
	sealed, err := r.seal(c, c.open)
	if key := c.open[signing]; key != "" && fault.Is(err, fault.Blocked) {
		c.Own, c.Sealed, c.open = key, nil, nil
		return c, nil
	}
	return sealed, err
}

// put returns the operation that writes a channel.
func (c channel) put(etag storage.ETag) storage.Op {
	return channelRows.Put(channelKey(c.Name), etag, &channelRow{c.ChannelSpec, c.Own, c.To, c.Sealed})
}

// Reseal encrypts again what was encrypted with a former key, or not at all. A channel whose secrets cannot be
// decrypted stays as it is, and is reported: it needs its secret again.
func (s *Book) Reseal(ctx context.Context) error {
	for e, err := range s.rows.Query(ctx, storage.Query{Partition: channelsPartition}) {
		if err != nil {
			return err
		}
		kept, err := channelRows.Decode(e.Props)
		if err != nil {
			continue // it is not shown either
		}
		c := kept.channel()
		secrets, old, err := s.resolver.secrets(c)
		if err != nil {
			s.o.Log.ErrorContext(ctx, "a channel needs its secret again", "channel", e.Row, "err", err)
			continue
		}
		if c.Own != "" {
			secrets[signing], c.To, old = c.Own, webhookTo(c.ChannelSpec), true
		}
		if !old || s.o.Keys.Problem() != "" {
			continue
		}
		c.Own = ""
		if c, err = s.resolver.seal(c, secrets); err != nil {
			s.o.Log.ErrorContext(ctx, "the secrets of a channel stay as they are", "channel", e.Row, "err", err)
			continue
		}
		if _, err := s.rows.Transact(ctx, c.put(e.ETag)); err != nil && !fault.Lost(err) {
			return err // a lost race means that another process did the same
		}
	}
	return nil
}

// RemoveChannel removes a channel that no rule uses.
func (s *Book) RemoveChannel(ctx context.Context, name string) (api.Channel, error) {
	c, etag, err := s.channel(ctx, name)
	if err != nil {
		return api.Channel{}, err
	}
	out, _ := s.resolver.channelJSON(c)
	if c.Origin == FromFile {
		return out, ofFile(s.o.File.name, "channel", name)
	}
	all, err := s.all(ctx)
	if err != nil {
		return out, err
	}
	if at := slices.IndexFunc(all, func(r rule) bool { return slices.Contains(r.Channels, name) }); at >= 0 {
		return out, fault.New(fault.Conflict, "the rule %q (%s) names the channel %s: change or remove it first",
			all[at].Name, all[at].ID, name)
	}
	_, err = s.rows.Transact(ctx, storage.Op{Kind: storage.Delete,
		Entity: storage.Entity{Key: channelKey(name), ETag: etag}})
	return out, err
}

// PatchRule changes what a patch names of a rule; see [Book.SaveRule]. Of two patches at once, both hold.
func (s *Book) PatchRule(ctx context.Context, id string, p api.Patch) (api.Rule, error) {
	var how api.RuleSaving
	if err := p.Apply(&how); err != nil {
		return api.Rule{}, fault.New(fault.Invalid, "the patch cannot be applied: %w", err)
	}
	p = maps.Clone(p)
	delete(p, "anyway")
	delete(p, "now")
	return again(func() (api.Rule, error) {
		return changeRule(ctx, s, id, how, func(old api.RuleSpec) (api.RuleSpec, error) {
			old.Filter.Item = "" // an answer has both names of the page
			next, err := patched(old, p)
			if value, named := p["enabled"]; named && value == nil {
				next.Off = false // null stands for what a rule is by default
			}
			form.Tidy(&next)
			return over(next, old), err
		})
	})
}

// PatchChannel changes what a patch names of a channel; see [Book.SaveChannel]. Stored secrets that it does not name
// stay, as long as they are sent to the same place.
func (s *Book) PatchChannel(ctx context.Context, name string, p api.Patch) (api.Channel, error) {
	return again(func() (api.Channel, error) {
		return changeChannel(ctx, s, name, false, func(old channel) (api.ChannelSpec, error) {
			next, err := patched(old.ChannelSettings, p)
			for secret := range old.Sealed {
				value, named := p.Get("fields", secret)
				if !named || value != nil || next.Kind != old.Kind || next.Kind == Webhook {
					continue
				}
				if next.Fields == nil {
					next.Fields = map[string]string{}
				}
				next.Fields[secret] = "" // an empty secret is removed, and one that is left out stays
			}
			return api.ChannelSpec{Name: name, ChannelSettings: next}, err
		})
	})
}

// patched returns settings as a patch changes them.
func patched[T any](old T, p api.Patch) (T, error) {
	err := p.Apply(&old)
	if err != nil {
		err = fault.New(fault.Invalid, "the patch cannot be applied: %w", err)
	}
	return old, err
}

// again reads and writes a row until nobody else has changed it in between.
func again[T any](change func() (T, error)) (out T, err error) {
	for range tries {
		out, err = change()
		if _, refused := errors.AsType[*cannotFireError](err); refused || !fault.Is(err, fault.Conflict) ||
			fault.FieldOf(err) != "" {
			return out, err
		}
	}
	return out, err
}

// tries is how often a change is made anew before the caller is told.
const tries = 30
