package backfill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// backlogWait is the pause of a source when too many items of its host wait for their first fetch (E13). After the
// pause, the source checks again.
const backlogWait = time.Minute

// slice registers the wanted links of a document. Each step registers some of them.
func (w *step) slice(ctx context.Context) error {
	c := w.at
	if c.Reserved == 0 {
		return w.await(roomWait, "waits for room below the run's cap")
	}
	addresses, err := w.s.work.loadLinks(ctx, c)
	if err != nil {
		return err
	}
	if full, err := w.backlog(ctx, addresses[min(c.Offset, len(addresses)):]); err != nil || full != "" {
		return errors.Join(err, w.await(backlogWait, full))
	}
	mark := *c
	wanted, err := w.choose(addresses)
	if err != nil {
		return err
	}
	missing, err := w.countKnown(ctx, wanted)
	if err != nil {
		return err
	}
	begun, wait, err := w.register(ctx, missing)
	if err != nil {
		return err
	}
	if !begun {
		c.undo(&mark)
		w.out = outcome{}
		return w.await(wait, paceNote)
	}
	w.registered(addresses, len(wanted))
	if c.Token != "" && wait > patience { // only steps that register links have to keep the pace
		return w.await(wait, paceNote)
	}
	return nil
}

// registered counts the addresses of a step. After the last address of a slice, the checkpoint moves on to the next
// slice. After the last slice, the work on the document ends.
func (w *step) registered(addresses []string, wanted int) {
	c := w.at
	w.out.add.Discovered = wanted
	c.Fresh += wanted
	if c.Offset >= len(addresses) {
		if addresses != nil {
			w.out.ops = append(w.out.ops, storage.DeleteOp(linksKey(c, c.Slice), storage.AnyETag))
		}
		c.Slice, c.Offset = c.Slice+1, 0
	}
	if c.Slice == c.Slices {
		w.finished()
	}
}

// choose decides which addresses are wanted, beginning at the checkpoint's offset. It stops when it has decided about
// all addresses, or when the number of wanted addresses reaches the checkpoint's reservation.
func (w *step) choose(addresses []string) (wanted []source.Source, err error) {
	c := w.at
	_, most := w.s.o.rate()
	traps, err := discover.OpenTraps(c.Traps, w.run.CreatedAt)
	if err != nil {
		return nil, err
	}
	for ; c.Offset < len(addresses); c.Offset++ {
		src, err := w.s.o.parse(w.run.Mode, addresses[c.Offset])
		if err != nil {
			w.exclude("no usable address")
			continue
		}
		if reason := judgeSite(w.site, w.run.Mode, src); reason != "" {
			w.exclude(reason)
			continue
		}
		if c.known(src.Normalized) {
			w.out.add.Duplicates++
			continue
		}
		if len(wanted) == min(c.Reserved, most) {
			break
		}
		if reason := trapped(traps, w.run.Mode, src); reason != "" {
			w.out.add.Trapped++
			w.because(reason)
			continue
		}
		c.see(src.Normalized)
		wanted = append(wanted, src)
		w.forms.Note(src, addresses[c.Offset], w.s.o.Rules)
		w.out.url = src.Display
	}
	c.Traps, err = json.Marshal(traps)
	return wanted, err
}

func (o *Options) parse(mode Mode, address string) (source.Source, error) {
	if mode != Container {
		return o.Rules.ParseURL(address)
	}
	place, err := file.Parse(address)
	if err != nil {
		return source.Source{}, err
	}
	return place.Source(), nil
}

// judgeSite applies the site's patterns to an address. A container's blobs have another host than the site's pages.
// They are judged as if their host were the site's.
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
		return "" // a container's listing is always finite
	}
	return traps.Judge(src.Normalized)
}

// backlog returns the reason why a source has to wait, if too many items of its host wait for their first fetch. If
// the source need not wait, it returns "".
func (w *step) backlog(ctx context.Context, addresses []string) (full string, err error) {
	if w.run.DryRun {
		return "", nil
	}
	for _, address := range addresses {
		src, err := w.s.o.parse(w.run.Mode, address)
		if err != nil || judgeSite(w.site, w.run.Mode, src) != "" {
			continue
		}
		return w.fullBacklog(ctx, src)
	}
	return "", nil
}

// fullBacklog returns the reason why a source has to wait because of the host of one address; "" if it need not.
func (w *step) fullBacklog(ctx context.Context, src source.Source) (full string, err error) {
	n, err := w.s.reg.Hosts.Backlog(ctx, src)
	if err != nil || n < w.s.o.MaxBacklog {
		return "", err
	}
	return fmt.Sprintf("waits: %s of %s still to be fetched", words.Count(n, "item"), src.Host), nil
}

// undo sets the checkpoint back to the given copy, and forgets the links that were chosen after the copy was made.
func (c *checkpoint) undo(mark *checkpoint) {
	for _, h := range c.fresh[len(mark.fresh):] {
		delete(c.seen, h)
	}
	*c = *mark
}

// countKnown counts the pages that have an item and returns the others. Pages that this step registered before it was
// interrupted count as new. A dry run returns no pages, because it registers none (E10).
func (w *step) countKnown(ctx context.Context, wanted []source.Source) (missing []source.Source, err error) {
	items, err := w.s.reg.Items.LookupAll(ctx, wanted)
	if err != nil {
		return nil, err
	}
	for i, it := range items {
		switch {
		case it != nil:
			w.known(it, wanted[i])
		case w.run.DryRun:
			w.out.add.Queued++
		default:
			missing = append(missing, wanted[i])
		}
	}
	return missing, nil
}

// known counts a page that already has an item.
func (w *step) known(it *registry.Item, src source.Source) {
	if it.DiscoveryRun == w.at.Run && it.DiscoveryJob == w.at.job(src) {
		w.out.add.Queued++
		return
	}
	w.out.add.Skipped++
	if n := max(it.HTTPContentLength, it.FileLength); n > 0 && w.run.DryRun {
		w.out.known = append(w.out.known, n)
	}
}

func (c *checkpoint) job(src source.Source) string { return discover.JobID(c.Source, src.Normalized) }

// register registers the missing pages for the crawl (E1), if the job may begin now or soon; see [Service.permit].
func (w *step) register(ctx context.Context, missing []source.Source) (begun bool, wait time.Duration, err error) {
	if len(missing) == 0 {
		return true, 0, nil
	}
	if begun, wait, err = w.s.permit(ctx); err == nil && begun {
		_, err = w.registerNow(ctx, missing)
	}
	return begun, wait, err
}

// registerNow registers missing pages and counts them. It returns which of them are items now.
func (w *step) registerNow(ctx context.Context, missing []source.Source) (taken []bool, err error) {
	taken = make([]bool, len(missing))
	o := registry.RegisterOptions{NewOnly: true, Missing: true, Method: Method, Run: w.at.Run, Job: w.at.job,
		Respell: true, Forms: w.forms}
	for i, got := range w.s.reg.Items.Register(ctx, missing, o) {
		switch kind := fault.KindOf(got.Err); {
		case registry.IsItemLimit(got.Err):
			w.out.add.Refused++
			w.because(fullHost)
		case kind == fault.Invalid || kind == fault.Blocked || kind == fault.TooLarge:
			w.out.add.Refused++
			w.failed(missing[i].Display, got.Err.Error())
		case got.Err != nil:
			return taken, got.Err
		default:
			taken[i] = true
			w.known(&got.Item, missing[i])
		}
	}
	return taken, nil
}
