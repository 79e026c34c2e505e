package backfill

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/discover"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/file"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/site"
	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// fullHost is why new pages of a host are refused that has as many items as it may.
const fullHost = "limit: the host has as many items as it may (LIMIT_ITEMS_PER_HOST)"

// backlogWait is the pause before another look at a host that has enough to do (E13).
const backlogWait = time.Minute

// slice looks at some links of a document, and registers those that are wanted.
func (s *Service) slice(ctx context.Context, run *Run, l *lane, found *site.Site) (out outcome, err error) {
	if l.reserved == 0 {
		return outcome{wait: roomWait, note: "waits for room below the run's cap"}, nil
	}
	addresses, err := s.loadLinks(ctx, l)
	if err != nil {
		return out, err
	}
	if full, err := s.backlog(ctx, run, found, addresses[min(l.Offset, len(addresses)):]); err != nil || full != "" {
		return outcome{wait: backlogWait, note: full}, err
	}
	wanted, err := s.judge(l, found, run, addresses, &out)
	if err != nil {
		return out, err
	}
	if run.DryRun {
		err = s.predict(ctx, wanted, &out)
	} else {
		err = s.register(ctx, l, wanted, &out)
	}
	if err != nil {
		return out, err
	}
	out.add.Discovered = len(wanted)
	l.Fresh += len(wanted)
	if l.Offset >= len(addresses) {
		if addresses != nil {
			out.ops = append(out.ops, storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: linksKey(l, l.Slice), ETag: storage.AnyETag}})
		}
		l.Slice, l.Offset = l.Slice+1, 0
	}
	if l.Slice == l.Slices {
		l.through(found, rangeOf(run.Request, run.CreatedAt), &out, s.now())
	}
	return out, nil
}

// judge decides about addresses from the lane's offset on, until all are decided or as many are wanted
// as are reserved.
func (s *Service) judge(l *lane, found *site.Site, run *Run, addresses []string, out *outcome) (wanted []source.Source, err error) {
	traps, err := l.openTraps(run.CreatedAt)
	if err != nil {
		return nil, err
	}
	for ; l.Offset < len(addresses); l.Offset++ {
		src, err := s.parse(run.Mode, addresses[l.Offset])
		if err != nil {
			out.add.Excluded++
			out.exclude("no usable address", 1)
			continue
		}
		if reason := judgeSite(found, run.Mode, src); reason != "" {
			out.add.Excluded++
			out.exclude(reason, 1)
			continue
		}
		if l.known(src.Normalized) {
			out.add.Duplicates++
			continue
		}
		if len(wanted) == l.reserved {
			break
		}
		if reason := trapped(traps, run.Mode, src); reason != "" {
			out.add.Trapped++
			out.exclude(reason, 1)
			continue
		}
		l.see(src.Normalized)
		wanted = append(wanted, src)
	}
	l.traps, err = json.Marshal(traps)
	return wanted, err
}

func (s *Service) parse(mode Mode, address string) (source.Source, error) {
	if mode != Container {
		return s.o.Rules.ParseURL(address)
	}
	place, err := file.Parse(address)
	if err != nil {
		return source.Source{}, err
	}
	return place.Source(), nil
}

// judgeSite asks the site's patterns. Blobs are of another host than its pages.
func judgeSite(found *site.Site, mode Mode, src source.Source) string {
	if mode != Container {
		return found.Judge(src)
	}
	as := *found
	as.Domain = src.Host
	return as.Judge(src)
}

func trapped(traps *discover.Traps, mode Mode, src source.Source) string {
	if mode == Container {
		return "" // a listing ends
	}
	return traps.Judge(src.Normalized)
}

// backlog says why a source has to wait: enough of its host's items wait for their first fetch.
func (s *Service) backlog(ctx context.Context, run *Run, found *site.Site, addresses []string) (full string, err error) {
	if run.DryRun {
		return "", nil
	}
	for _, address := range addresses {
		src, err := s.parse(run.Mode, address)
		if err != nil || judgeSite(found, run.Mode, src) != "" {
			continue
		}
		n, err := s.reg.Backlog(ctx, src)
		if err != nil || n < s.o.MaxBacklog {
			return "", err
		}
		return fmt.Sprintf("waits: %d items of %s are still to be fetched", n, src.Host), nil
	}
	return "", nil
}

// register has what is new crawled (E1). What this step registered before it was cut off is new, too.
func (s *Service) register(ctx context.Context, l *lane, wanted []source.Source, out *outcome) error {
	job := func(src source.Source) string { return discover.JobID(l.source, src.Normalized) }
	o := registry.RegisterOptions{NewOnly: true, Method: Method, Run: l.run, Job: job, Respell: true}
	for i, got := range s.reg.Register(ctx, wanted, o) {
		switch kind := fault.KindOf(got.Err); {
		case registry.IsItemLimit(got.Err):
			out.add.Refused++
			out.exclude(fullHost, 1)
		case kind == fault.Invalid || kind == fault.Blocked || kind == fault.TooLarge:
			out.add.Refused++
			out.failed(s.now(), l.source, wanted[i].Display, got.Err.Error())
		case got.Err != nil:
			return got.Err
		case got.Item.DiscoveryRun == l.run && got.Item.DiscoveryJob == job(wanted[i]):
			out.add.Queued++
		default:
			out.add.Skipped++
		}
	}
	return nil
}

// predict counts what a registration would do, and writes nothing (E10).
func (s *Service) predict(ctx context.Context, wanted []source.Source, out *outcome) error {
	for _, src := range wanted {
		it, found, err := s.reg.Lookup(ctx, src)
		switch {
		case err != nil:
			return err
		case !found:
			out.add.Queued++
			continue
		}
		out.add.Skipped++
		if n := max(it.HTTPContentLength, it.FileLength); n > 0 {
			out.known = append(out.known, n)
		}
	}
	return nil
}
