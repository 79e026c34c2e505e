package handlers

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/bulk"
	"github.com/tidemark/tidemark/pkg/run/listimport"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/run/migrate"
	"github.com/tidemark/tidemark/pkg/run/rebuild"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
	"github.com/tidemark/tidemark/pkg/run/walk"
)

// sites reports the progress of the polls of all sites (E14).
func (h *runHandlers) sites(ctx context.Context, _ api.None) (api.Sites, error) {
	all, err := h.Polls.All(ctx)
	return api.Sites{Sites: wire.Each(all, siteJSON)}, err
}

// addSite adds a site and starts its first poll.
func (h *runHandlers) addSite(ctx context.Context, q api.SiteRequest) (api.Site, error) {
	if q.URL == "" {
		return api.Site{}, fault.Field("url", "url is missing: give a domain, a sitemap, or what the wanted pages begin with")
	}
	if q.GuessScheme && h.Schemes != nil {
		found, errs := h.Schemes.Guess(ctx, []string{q.URL})
		if q.URL = found[0]; errs[0] != nil && !errors.Is(errs[0], fetch.ErrNotSecure) {
			return api.Site{}, errs[0] // else the site may live at its other name, which the poll asks
		}
	}
	add := h.Polls.Add
	if q.DryRun {
		add = h.Polls.Try
	}
	one, err := add(ctx, q.URL, q.SiteSettings)
	if err != nil {
		return api.Site{}, err
	}
	out := siteJSON(one)
	out.Warning = cmp.Or(source.RouteWarning(q.URL), out.Warning)
	return out, nil
}

// getSite reads a site, or a dry run with its result.
func (h *runHandlers) getSite(ctx context.Context, q api.SiteSlug) (api.Site, error) {
	one, err := h.Polls.Get(ctx, q.Slug)
	if err != nil {
		return api.Site{}, err
	}
	out := siteJSON(one)
	if out.DryRun != nil {
		out.DryRun.Would, err = h.Polls.Would(ctx, one)
		out.DryRun.Send = api.SiteRequest{URL: one.Start[0], SiteSettings: one.Set}
	}
	return out, err
}

// patchSite changes what is set of a site that was added.
func (h *runHandlers) patchSite(ctx context.Context, q api.SitePatch) (api.Site, error) {
	one, err := h.Polls.Change(ctx, q.Slug, q.Patch)
	if err != nil {
		return api.Site{}, err
	}
	return siteJSON(one), nil
}

// removeSite removes a site that was added through the API. The site's pages remain registered.
func (h *runHandlers) removeSite(ctx context.Context, q api.SiteSlug) (api.Site, error) {
	one, err := h.Polls.Get(ctx, q.Slug)
	if err != nil {
		return api.Site{}, err
	}
	return siteJSON(one), h.Polls.Forget(ctx, q.Slug)
}

func siteJSON(v sitepoll.Site) api.Site {
	return api.Site{
		Slug: v.Slug, Domain: v.Domain, Added: v.Added, Watched: v.Watched, Warning: v.Site.Warning,
		NextLookAt: v.NextPollAt, NewToday: v.NewToday,
		Look: pollJSON(v.Now), Last: pollJSON(v.Last), LastFeeds: pollJSON(v.LastFeeds),
		LastMod: api.LastModRecord{Right: v.LastMod.Right, Wrong: v.LastMod.Wrong, Unannounced: v.LastMod.Unannounced,
			Truthful: v.LastMod.Truthful()},
		Coverage: v.Coverage.Coverage, Question: questionOf(v),
		Follow: v.Follow, Set: v.Set, Walk: walkJSON(v.Walk, v.Site), DryRun: dryRunJSON(v),
	}
}

func pollJSON(l *sitepoll.Poll) *api.Look {
	if l == nil {
		return nil
	}
	return &l.Look
}

// indexNowOne accepts a submission of one address.
func (h *runHandlers) indexNowOne(ctx context.Context, q api.IndexNowOne) (any, error) {
	u, err := url.Parse(q.URL)
	if err != nil || u.Host == "" {
		return nil, fault.Field("url", "%.200q is no address of a page", q.URL)
	}
	return h.indexNow(ctx, api.IndexNowRequest{Host: u.Host, Key: q.Key, KeyLocation: q.KeyLocation,
		URLList: []string{q.URL}})
}

// indexNow answers a submission with the statuses that the protocol requires. No other route answers with 422.
func (h *runHandlers) indexNow(ctx context.Context, p api.IndexNowRequest) (any, error) {
	got, err := h.Polls.Push(ctx, p)
	if mismatch, ok := errors.AsType[*sitepoll.MismatchError](err); ok {
		return wire.Reply{Status: http.StatusUnprocessableEntity, Body: refusal{mismatch}}, nil
	}
	return got, err
}

// A refusal is a problem with a status that no kind of error has.
type refusal struct{ error }

func (f refusal) WriteAnswer(w http.ResponseWriter, status int) {
	wire.Problem(w, status, f.Error(), api.FieldError{Field: fault.FieldOf(f.error), Message: f.Error()})
}

// sentinelTimer starts the polls that are due.
func (h *runHandlers) sentinelTimer(ctx context.Context, _ wire.Envelope) (string, error) {
	begun, err := h.Polls.Tick(ctx)
	_, failed := h.Lists.RequeueStalled(ctx) // stalled imports are rare, so once an hour is enough
	return words.Count(begun, "poll") + " begun", errors.Join(err, failed)
}

func walkJSON(v *walk.Walk, of *site.Site) *api.SiteWalk {
	if v == nil || of.Follow == nil {
		return nil
	}
	return &api.SiteWalk{Pages: v.Pages, Read: v.Read, Open: v.Open, Waiting: v.Waiting, Unread: v.Unread, Seen: v.Seen,
		Deepest: v.Deepest, Full: v.Reached(of.Follow), UnreadExample: v.UnreadAt, UnreadWhy: v.UnreadWhy}
}

func dryRunJSON(v sitepoll.Site) *api.SiteDryRun {
	if v.TrialUntil.IsZero() {
		return nil
	}
	out := &api.SiteDryRun{Until: v.TrialUntil}
	if v.Walk != nil && v.Walk.Thin > 0 {
		out.Thin, out.ThinExample = v.Walk.Thin, verdict.PublicURL(v.Walk.ThinAt)
	}
	return out
}

// runHandlers answer requests for work that takes longer than one call: rebuilds, migrations, bulk runs, backfills,
// polls of sites, and imports of mails and of addresses. It also receives the messages that continue this work.
type runHandlers struct {
	Rebuilds *rebuild.Service
	Bulk     *bulk.Service
	Migrate  *migrate.Service
	Backfill *backfill.Service
	Polls    *sitepoll.Service
	Schemes  *fetch.SchemeGuesser // nil in some tests
	Mails    *mailimport.Service
	Lists    *listimport.Service
	Lookup   *registry.Lookup
	Log      *slog.Logger
}

// questionOf returns what has to be asked about a site of which no document lists pages; nil if nothing has.
func questionOf(v sitepoll.Site) *api.SiteQuestion {
	if v.Last == nil || !v.Last.Asks || v.Now != nil || len(v.Start) == 0 {
		return nil
	}
	first := v.Start[0]
	q := &api.SiteQuestion{
		Text:  "No sitemap or feed lists the pages of this site. Which of these shall be read?",
		URL:   first,
		Tried: append([]api.SiteTry{}, v.Last.Tried...),
		Advice: []string{"Name another sitemap, feed or page that lists pages.",
			"Add the pages themselves, each by its address or as a list."},
	}
	if !v.Added {
		q.Advice[0] = "The site is in the site file: write what is to be read there, as sitemaps, feeds, listings or follow."
	}
	for _, o := range v.Last.Offers {
		c := api.SiteChoice{Kind: o.Kind, URL: o.URL, Pages: o.Pages, LeftOut: o.LeftOut, Reasons: o.Reasons,
			Examples: o.Examples, Send: api.SiteRequest{URL: first}}
		if o.Kind == sitepoll.OfferFeed {
			c.Send.Feeds = []string{o.URL}
		} else {
			c.Send.Listings = []string{o.URL}
		}
		q.Choices = append(q.Choices, c)
		if o.Kind == sitepoll.OfferListing { // its pages are where following the links of all pages begins
			c.Kind, c.Send.SiteSettings = "follow", api.SiteSettings{Follow: &api.SiteFollow{}}
			q.Choices = append(q.Choices, c)
		}
	}
	if len(q.Choices) == 0 {
		q.Text = "Nothing was found that lists the pages of this site, so none is watched."
	}
	return q
}

// migrateStart starts a migration and does as much of it as fits into the request; the timer does the rest.
func (h *runHandlers) migrateStart(ctx context.Context, req api.MigrationRequest) (api.Migration, error) {
	if _, err := h.Migrate.Start(ctx, req.DryRun); err != nil {
		return api.Migration{}, err
	}
	if _, err := h.Migrate.Advance(ctx); err != nil {
		h.Log.WarnContext(ctx, "migration interrupted; the timer goes on", "err", err)
	}
	return h.migrateState(ctx, api.None{})
}

// migrateState reports the progress of a migration.
func (h *runHandlers) migrateState(ctx context.Context, _ api.None) (api.Migration, error) {
	st, err := h.Migrate.Get(ctx)
	return migrationJSON(st), err
}

func migrationJSON(st migrate.Status) api.Migration {
	out := api.Migration{Status: migrationState(st), DryRun: st.Dry, Reason: st.Reason, StartedAt: st.StartedAt,
		UpdatedAt: st.UpdatedAt, EndedAt: st.EndedAt}
	for _, p := range st.Parts {
		out.Steps = append(out.Steps, api.MigrationStep{Name: p.Step, Rules: p.Rules, Seen: p.Seen, Changed: p.Changed,
			Examples: p.Examples, Done: p.Done})
	}
	for _, n := range st.Needs {
		out.Needed = append(out.Needed, api.MigrationNeed{Name: n.Step, From: n.From, To: n.To})
	}
	return out
}

// migrationState returns the API's name for the state of a migration.
func migrationState(st migrate.Status) string {
	switch {
	case st.Running:
		return api.MigrationRunning
	case len(st.Needs) > 0:
		return api.MigrationNeeded
	default:
		return api.MigrationCurrent
	}
}

// Routes returns the routes of the area.
func (h *runHandlers) Routes() []wire.Route {
	return []wire.Route{
		wire.On(api.StartRebuild, h.rebuildStart),
		wire.On(api.GetRebuild, h.rebuildState),
		wire.On(api.StartMigration, h.migrateStart),
		wire.On(api.GetMigration, h.migrateState),
		wire.On(api.StartBulk, h.bulkStart),
		wire.Named(api.GetBulk, wire.Shown(h.Bulk.Get, bulkJSON)),
		wire.On(api.StartBackfill, h.backfillStart),
		wire.On(api.ListBackfills, h.backfillRuns),
		wire.Named(api.GetBackfill, wire.Shown(h.Backfill.Get, h.runJSON)),
		wire.Named(api.ResumeBackfill, wire.Shown(h.Backfill.Resume, h.runJSON)),
		wire.Named(api.PauseBackfill, wire.Shown(h.Backfill.Pause, h.runJSON)),
		wire.Named(api.CancelBackfill, wire.Shown(h.Backfill.Cancel, h.runJSON)),
		wire.On(api.ListBackfillSites, h.backfillSites),
		wire.On(api.ListSites, h.sites),
		wire.On(api.AddSite, h.addSite),
		wire.On(api.PatchSite, h.patchSite),
		wire.On(api.RemoveSite, h.removeSite),
		wire.On(api.GetSite, h.getSite),
		wire.Named(api.PollSite, wire.Shown(h.Polls.PollNow, siteJSON)),
		wire.OnAny(api.IndexNow, h.indexNow),
		wire.OnAny(api.IndexNowURL, h.indexNowOne),
		wire.OnAny(api.ImportMbox, h.importMbox),
		wire.On(api.ListImports, h.importList),
		wire.Named(api.GetImport, wire.Shown(h.Mails.Get, importJSON)),
		{Endpoint: api.ImportList.Endpoint, Answer: h.importAddresses},
		wire.Named(api.GetListImport, wire.Shown(h.Lists.Get, listImportJSON)),
	}
}

// Triggers returns the triggers of the area.
func (h *runHandlers) Triggers() map[string]wire.Trigger {
	return map[string]wire.Trigger{
		"RebuildWorker":  wire.Step(h.Rebuilds.Step),
		"BulkWorker":     wire.Step(h.Bulk.Step),
		"BackfillWorker": wire.Step(h.Backfill.Step),
		"BackfillPoison": h.backfillPoison,
		"SentinelTimer":  h.sentinelTimer,
		"SentinelWorker": wire.Step(h.Polls.Step),
		"MboxWorker":     wire.Step(h.importStep),
	}
}

// rebuildStart starts a run that indexes many items again.
func (h *runHandlers) rebuildStart(ctx context.Context, req api.RebuildRequest) (out api.Rebuild, err error) {
	if req.Audit && (req.Force || req.Refetch) {
		return out, fault.Field("audit", "audit repairs what differs, from the kept captures: leave force and refetch out")
	}
	scope := rebuild.Scope{Force: req.Force, Refetch: req.Refetch, Audit: req.Audit}
	if req.Scope != nil {
		if req.Scope.Host == "" {
			return out, fault.Field("scope.host", "scope.host is missing: name a host, or leave scope out for everything")
		}
		if scope.Host, err = h.Lookup.Host("scope.host", req.Scope.Host); err != nil {
			return out, err
		}
	}
	run, err := h.Rebuilds.Start(ctx, scope)
	return rebuildJSON(run, 0), err
}

// rebuildState reports the progress of a rebuild.
func (h *runHandlers) rebuildState(ctx context.Context, q api.RebuildID) (out api.Rebuild, err error) {
	if q.ID == "" {
		return out, fault.Field("id", "id is missing: give that of a rebuild")
	}
	run, err := h.Rebuilds.Get(ctx, q.ID)
	if err != nil {
		return out, err
	}
	left, err := h.Rebuilds.Left(ctx, run)
	return rebuildJSON(run, left), err
}

// rebuildJSON returns a rebuild as a type of the API, with the number of items that the rebuild still has to index.
func rebuildJSON(run rebuild.Run, left int) api.Rebuild {
	out := api.Rebuild{
		ID: run.ID, Status: string(run.State), Host: run.Host, Force: run.Force, Refetch: run.Refetch, Audit: run.Audit,
		Reason: run.Reason,
		Items:  run.Items, Marked: run.Marked, Left: left, Indexed: run.Indexed, KeptOut: run.KeptOut, Failed: run.Failed,
		StartedAt: run.StartedAt, UpdatedAt: run.UpdatedAt, EndedAt: run.EndedAt, Removed: run.Removed, Entries: run.Entries,
		Mended: run.Mended,
	}
	out.Findings = wire.Each(run.Findings, func(f rebuild.Finding) api.Finding { return api.Finding(f) })
	if n := run.Collisions; n.Chunks > 0 {
		out.Collisions = (*api.Collisions)(&n)
	}
	return out
}

// importAddresses starts to import a list of addresses, and answers with the progress so far.
func (h *runHandlers) importAddresses(r *http.Request) (int, any, error) {
	req, err := listOf(r)
	if err != nil {
		return 0, nil, err
	}
	im, err := h.Lists.Start(r.Context(), []byte(req.Content), listimport.Format(req.Format))
	if err == nil {
		im, err = h.Lists.Advance(r.Context(), im, importTime)
	}
	return api.ImportList.Status, listImportJSON(im), err
}

// listOf reads the request. Its body is either JSON or the file itself, as curl --data-binary sends it.
func listOf(r *http.Request) (req api.ListImportRequest, err error) {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if media == "" || media == "application/json" {
		return wire.Decode[api.ListImportRequest](r, api.ImportList.Endpoint)
	}
	body, err := io.ReadAll(r.Body)
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		err = fault.New(fault.TooLarge, "the list is larger than %d MiB: import it in parts", wire.MaxBody>>20)
	}
	req.Content = string(body)
	switch {
	case strings.Contains(media, "opml"):
		req.Format = string(listimport.OPML)
	case strings.HasSuffix(media, "/csv"):
		req.Format = string(listimport.CSV)
	case strings.Contains(media, "ndjson"), strings.Contains(media, "jsonl"):
		req.Format = string(listimport.JSONLines)
	}
	return req, err
}

func listImportJSON(im listimport.Import) api.ListImport {
	return api.ListImport{
		ID: im.ID, Format: im.Format, Total: im.Total, Done: im.Next, Added: im.Added, Known: im.Known,
		Refused: im.Refused, Warning: im.Warning, StartedAt: im.StartedAt, EndedAt: im.EndedAt,
		Refusals: wire.Each(im.Refusals, func(a listimport.Address) api.RefusedAddress {
			return api.RefusedAddress{Source: a.URL, Error: a.Why}
		}),
	}
}

// bulkStart starts a run that applies one operation to many items.
func (h *runHandlers) bulkStart(ctx context.Context, q api.BulkRequest) (out api.BulkRun, err error) {
	ask := bulk.Ask{Op: bulk.Op(q.Op), IDs: q.IDs}
	if !slices.Contains(bulk.Ops, ask.Op) {
		return out, fault.Field("op", "op must be one of %v, not %.40q", bulk.Ops, q.Op)
	}
	if tagged := ask.Op == bulk.Tag || ask.Op == bulk.Untag; tagged {
		if ask.Tag, err = wire.TagName(q.Tag); err != nil {
			return out, fault.Field("tag", "tag: %w", err)
		}
	} else if q.Tag != "" {
		return out, fault.Field("tag", "%s takes no tag; to choose items by a tag, give filter.tag", q.Op)
	}
	if err := checkIDs(q); err != nil {
		return out, err
	}
	if q.Filter != nil {
		if ask.Filter, err = h.bulkFilter(*q.Filter); err != nil {
			return out, err
		}
	}
	run, err := h.Bulk.Start(ctx, ask)
	return bulkJSON(run), err
}

// checkIDs checks that a request selects items either by ids or by a filter, not by both.
func checkIDs(q api.BulkRequest) error {
	switch {
	case (q.IDs == nil) == (q.Filter == nil):
		return fault.Field("ids", "give ids or filter, one of them")
	case q.Filter != nil:
		return nil
	case len(q.IDs) == 0 || len(q.IDs) > bulk.MaxIDs:
		return fault.Field("ids", "ids has %d ids; allowed are 1 to %d", len(q.IDs), bulk.MaxIDs)
	}
	for _, id := range q.IDs {
		if _, _, err := source.ParseID(id); err != nil {
			return fault.Field("ids", "ids: %w", err)
		}
	}
	return nil
}

// bulkFilter reads a filter. A request that selects every item must say so explicitly.
func (h *runHandlers) bulkFilter(q api.ItemFilter) (registry.Filter, error) {
	f, err := h.Lookup.Filter(registry.Filter{Host: q.Host, Status: registry.Status(q.Status), Tag: q.Tag,
		Paused: q.Paused}, "filter.")
	if err == nil && f == (registry.Filter{}) && !q.All {
		err = fault.Field("filter", "filter names no host, status, tag or pause: give one, or all: true for all items")
	}
	return f, err
}

func bulkJSON(r bulk.Run) api.BulkRun {
	return api.BulkRun{ID: r.ID, Op: string(r.Op), Tag: r.Tag, Status: r.State, Items: r.Items, Done: r.Done,
		Failed: r.Failed, StartedAt: r.StartedAt, UpdatedAt: r.UpdatedAt, EndedAt: r.EndedAt,
		Errors: wire.Each(r.Errors, func(f bulk.Failure) api.BulkError { return api.BulkError(f) })}
}
