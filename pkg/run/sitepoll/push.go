package sitepoll

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
)

// pushMethod is the discoveryMethod of items that a push registers.
const pushMethod = "INDEXNOW"

// Bounds of pushes.
const (
	// MaxPushed limits the number of addresses in one push (indexnow.org/documentation).
	MaxPushed = 10_000
	// maxPushedPerDay limits the number of addresses of one site that are processed in a day.
	maxPushedPerDay = 10_000
	// MaxVerifications limits how often a site is asked for keys in a day.
	MaxVerifications = 10
)

// MismatchError reports addresses of another host, a malformed key, or a key that does not cover the addresses. In
// the protocol, this is status 422.
type MismatchError struct{ Err error }

func (e *MismatchError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *MismatchError) Unwrap() error { return e.Err }

// Push processes an IndexNow submission. It verifies the key at the site, unless it did so within the last day. Then
// it registers new pages and brings forward the checks of known pages, at most Options.PerDay of each.
//
// Errors: a [*MismatchError]; Invalid for a malformed submission; Blocked for a host that belongs to no known site,
// for a key that the site does not publish, and while polls are switched off; Throttled if the key cannot be
// requested now or the day's bounds are reached.
//
// A push costs a read and two writes of the site's row, a read for each address, and the cost of registering pages
// and bringing checks forward.
func (s *Service) Push(ctx context.Context, p api.IndexNowRequest) (api.IndexNowResult, error) {
	if s.o.PerDay == 0 {
		return api.IndexNowResult{}, errOff
	}
	if n := len(p.URLList); n == 0 || n > MaxPushed {
		return api.IndexNowResult{}, fault.Field("urlList", "urlList has %d addresses: allowed are 1 to %d", n, MaxPushed)
	}
	found, err := s.Known.of(ctx, s.o.Rules, p.Host)
	if err != nil {
		return api.IndexNowResult{}, err
	}
	location, err := keyLocation(p, found)
	if err != nil {
		return api.IndexNowResult{}, err
	}
	sources, forms, err := s.pushed(p.URLList, found, location)
	if err != nil {
		return api.IndexNowResult{}, err
	}
	if err := s.verify(ctx, found, p.Key, location); err != nil {
		return api.IndexNowResult{}, err
	}
	return s.register(ctx, found, sources, forms)
}

// of returns the site that a host belongs to. Errors: Blocked for an unknown host.
func (k Known) of(ctx context.Context, rules source.Rules, host string) (*site.Site, error) {
	sites, err := k.All(ctx)
	if err != nil {
		return nil, err
	}
	if src, err := rules.ParseURL("https://" + host + "/"); err == nil {
		i := slices.IndexFunc(sites, func(one *site.Site) bool { return one.Domain == src.Host })
		if i >= 0 {
			return sites[i], nil
		}
	}
	return nil, fault.New(fault.Blocked, "%.100q is the host of no site that is known, so nothing of it is taken", host)
}

// pushed parses the addresses of a push. It returns the forms in which they were given, too.
func (s *Service) pushed(urls []string, found *site.Site, location keyFile) (out []source.Source, forms source.Forms,
	err error) {
	seen := map[string]bool{}
	forms = source.Forms{}
	for _, text := range urls {
		src, err := s.o.Rules.ParseURL(text)
		switch {
		case err != nil:
			return nil, nil, &MismatchError{fault.Field("urlList", "%.200q is no address: %w", text, err)}
		case src.Host != found.Domain:
			return nil, nil, &MismatchError{fault.Field("urlList", "%.200q is not on %s", text, found.Domain)}
		case !location.covers(text):
			return nil, nil, &MismatchError{fault.Field("keyLocation", "a key at %s covers addresses below %s only, not %.200q",
				location.url, location.dir, text)}
		case !seen[src.Normalized]:
			seen[src.Normalized] = true
			out = append(out, src)
			forms.Note(src, text, s.o.Rules)
		}
	}
	return out, forms, nil
}

// register processes addresses within the day's bounds. It first reserves the number that it may need and afterwards
// returns the unused part, so that concurrent calls together keep the bounds.
func (s *Service) register(ctx context.Context, found *site.Site, sources []source.Source, forms source.Forms,
) (out api.IndexNowResult, err error) {
	out.Received = len(sources)
	var room pushDay
	err = s.changePushes(ctx, found.Slug, func(st *pushData) error {
		room = pushDay{
			Looked:    min(len(sources), maxPushedPerDay-st.Day.Looked),
			New:       min(len(sources), max(0, s.o.PerDay-st.Day.New)),
			Forwarded: min(len(sources), max(0, s.o.PerDay-st.Day.Forwarded)),
		}
		if room.Looked <= 0 || room.New+room.Forwarded == 0 {
			return fault.After(untilTomorrow(s.polls.Now()), "as many addresses of %s were taken today as may be", found.Domain)
		}
		st.Day.add(room, 1)
		return nil
	})
	if err != nil {
		return out, err
	}
	done, err := s.work(ctx, found, sources[:room.Looked], forms, room, &out)
	out.Left += len(sources) - room.Looked
	back := pushDay{New: room.New - done.New, Forwarded: room.Forwarded - done.Forwarded}
	if failed := s.changePushes(ctx, found.Slug,
		func(st *pushData) error { st.Day.add(back, -1); return nil }); failed != nil {
		s.o.Log.WarnContext(ctx, "what a push did not need of the day's bounds is not given back", "site", found.Slug, "kind",
			fault.KindOf(failed))
	}
	s.o.Log.InfoContext(ctx, "push taken", "site", found.Slug, "received", out.Received, "new", out.New, "forwarded",
		out.Forwarded, "left", out.Left)
	return out, err
}

// work processes addresses, 32 at a time.
func (s *Service) work(ctx context.Context, found *site.Site, sources []source.Source, forms source.Forms,
	room pushDay, out *api.IndexNowResult) (done pushDay, err error) {
	wanted := slices.DeleteFunc(slices.Clone(sources), func(src source.Source) bool { return found.Judge(src) != "" })
	out.Excluded = len(sources) - len(wanted)
	for chunk := range slices.Chunk(wanted, policy.JobItems) {
		if done.Forwarded >= room.Forwarded && done.New >= room.New {
			out.Left += len(chunk)
			continue
		}
		known, moved, err := s.reg.Changes.BringForward(ctx, chunk, room.Forwarded-done.Forwarded)
		if err != nil {
			return done, err
		}
		done.Forwarded, out.Forwarded = done.Forwarded+moved, out.Forwarded+moved
		var fresh []source.Source
		for i, src := range chunk {
			if !known[i] {
				fresh = append(fresh, src)
			}
		}
		out.Known += len(chunk) - len(fresh) - moved
		n := min(len(fresh), room.New-done.New)
		out.Left += len(fresh) - n
		added, err := s.registerPushed(ctx, fresh[:n], forms, out)
		if done.New += added; err != nil {
			return done, err
		}
	}
	return done, nil
}

func (s *Service) registerPushed(ctx context.Context, fresh []source.Source, forms source.Forms,
	out *api.IndexNowResult) (added int, err error) {
	o := registry.RegisterOptions{NewOnly: true, Method: pushMethod, Forms: forms}
	for _, got := range s.reg.Items.Register(ctx, fresh, o) {
		switch kind := fault.KindOf(got.Err); {
		case kind == fault.Invalid || kind == fault.Blocked || kind == fault.TooLarge:
			out.Refused++
		case got.Err != nil:
			return added, got.Err
		case got.Created:
			out.New++
			added++
		default:
			out.Known++
		}
	}
	return added, nil
}

func untilTomorrow(now time.Time) time.Duration {
	return now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now)
}

// keyFile is where a site publishes a key.
type keyFile struct{ url, dir string }

// covers reports whether a key at this location is valid for an address: a key in a folder is valid below that
// folder.
func (p keyFile) covers(address string) bool {
	form, err := source.FetchForm(address)
	return err == nil && strings.HasPrefix(afterScheme(form), afterScheme(p.dir))
}

// afterScheme removes the scheme: a key belongs to the host, so http and https are equal.
func afterScheme(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	return rest
}
