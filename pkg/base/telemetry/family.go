package telemetry

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// These are the types of a [Family], in the terms of Prometheus.
const (
	TypeCounter   = "counter"
	TypeGauge     = "gauge"
	TypeHistogram = "histogram"
)

// maxSeries bounds the series of a family, whatever label values it receives. Values for further series are all added
// to the one series under [Other].
const maxSeries = 256

// Other is the value of all labels in the series that collects the values beyond [maxSeries].
const Other = "other"

// Family is a snapshot of a metric with all its series.
type Family struct {
	Name, Help, Type string
	Labels           []string  // the names of the labels
	Bounds           []float64 // only of a histogram: the inclusive upper bounds of its buckets, rising
	Series           []Series  // ordered by label values
}

// Series is one combination of label values.
type Series struct {
	Values []string // the label values
	Sum    float64  // the sum of all values added or observed; of a gauge, its value
	// Count and Buckets belong to a histogram. Count is the number of observations. Each bucket holds the number of
	// observations that are within its bound and above the previous bound. Observations above the last bound are only
	// in Count.
	Count   uint64
	Buckets []uint64
}

// A family adds up values, separately for each combination of label values. It is safe for concurrent use.
type family struct {
	about Family
	mu    sync.Mutex
	byKey map[string]*Series
	ask   func() (v float64, known bool) // of a gauge that is asked for its value; otherwise nil
}

func newFamily(kind, name, help string, labels []string) *family {
	f := &family{about: Family{Name: name, Help: help, Type: kind, Labels: labels}, byKey: map[string]*Series{}}
	if len(labels) == 0 {
		f.series(nil) // a family without labels starts at zero; other series start with their first value
	}
	return f
}

// series returns the series of these label values and creates it when it is missing. Callers must hold the lock.
func (f *family) series(values []string) *Series {
	if len(values) != len(f.about.Labels) {
		panic(f.about.Name + ": labels " + strings.Join(values, ", "))
	}
	key := strings.Join(values, "\x00")
	s, ok := f.byKey[key]
	if !ok && len(f.byKey) >= maxSeries {
		values = slices.Repeat([]string{Other}, len(values))
		key = strings.Join(values, "\x00")
		s, ok = f.byKey[key]
	}
	if !ok {
		s = &Series{Values: slices.Clone(values), Buckets: make([]uint64, len(f.about.Bounds))}
		f.byKey[key] = s
	}
	return s
}

func (f *family) read() Family {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.about
	for _, s := range f.byKey {
		c := *s
		c.Buckets = slices.Clone(s.Buckets)
		out.Series = append(out.Series, c)
	}
	slices.SortFunc(out.Series, func(a, b Series) int { return slices.Compare(a.Values, b.Values) })
	return out
}

// starting makes series that begin at zero, for values of a single label that are known before they are counted. A rate
// needs a series that was there before the first event.
func (f *family) starting(values ...string) {
	for _, v := range values {
		f.series([]string{v})
	}
}

// Counter is a sum that only grows, kept separately for each combination of label values.
type Counter struct{ *family }

func newCounter(name, help string, labels ...string) *Counter {
	return &Counter{newFamily(TypeCounter, name, help, labels)}
}

// Add adds n, which must not be negative, to the sum for these label values. The values have the order of the labels'
// names.
func (c *Counter) Add(n float64, values ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.series(values).Sum += n
}

// Total returns the sum of the series whose first label has one of the given values, or of all series when no value
// is given.
func (c *Counter) Total(first ...string) float64 {
	sum, _ := c.total(first)
	return sum
}

func (f *family) total(first []string) (sum float64, count uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.byKey {
		if len(first) == 0 || slices.Contains(first, s.Values[0]) {
			sum, count = sum+s.Sum, count+s.Count
		}
	}
	return sum, count
}

// Histogram counts how many values fell between its bounds, separately for each combination of label values.
type Histogram struct{ *family }

func newHistogram(name, help string, bounds []float64, labels ...string) *Histogram {
	h := &Histogram{newFamily(TypeHistogram, name, help, labels)}
	h.about.Bounds = bounds
	for _, s := range h.byKey {
		s.Buckets = make([]uint64, len(bounds))
	}
	return h
}

// Total returns the sum and the number of the observations in the series whose first label has one of the given values,
// or in all series when no value is given.
func (h *Histogram) Total(first ...string) (sum float64, count uint64) { return h.total(first) }

// Observe adds the observation v to the series with these label values.
func (h *Histogram) Observe(v float64, values ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.series(values)
	s.Sum += v
	s.Count++
	if i, _ := slices.BinarySearch(h.about.Bounds, v); i < len(s.Buckets) {
		s.Buckets[i]++
	}
}

// TextType is the media type of the output of [Metrics.WriteText].
const TextType = "text/plain; version=0.0.4; charset=utf-8"

// WriteText writes all metrics in the text format of Prometheus
// (https://prometheus.io/docs/instrumenting/exposition_formats/).
func (m *Metrics) WriteText(w io.Writer) error {
	var b bytes.Buffer
	for _, f := range m.Read() {
		if f.Type == TypeGauge && len(f.Series) == 0 {
			continue // not known yet
		}
		b.WriteString("# HELP " + f.Name + " " + f.Help + "\n# TYPE " + f.Name + " " + f.Type + "\n")
		for _, s := range f.Series {
			if f.Type == TypeHistogram {
				writeHistogram(&b, &f, s)
			} else {
				writeSample(&b, f.Name, f.Labels, s.Values, s.Sum)
			}
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// writeHistogram writes cumulative buckets, as the format requires: each bucket includes all buckets below it.
func writeHistogram(b *bytes.Buffer, f *Family, s Series) {
	labels, values := append(f.Labels[:len(f.Labels):len(f.Labels)], "le"), append(s.Values[:len(s.Values):len(s.Values)],
		"")
	var within uint64
	for i, n := range s.Buckets {
		within += n
		values[len(values)-1] = number(f.Bounds[i])
		writeSample(b, f.Name+"_bucket", labels, values, float64(within))
	}
	values[len(values)-1] = "+Inf"
	writeSample(b, f.Name+"_bucket", labels, values, float64(s.Count))
	writeSample(b, f.Name+"_sum", f.Labels, s.Values, s.Sum)
	writeSample(b, f.Name+"_count", f.Labels, s.Values, float64(s.Count))
}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func writeSample(b *bytes.Buffer, name string, labels, values []string, v float64) {
	pairs := make([]string, len(labels))
	for i, label := range labels {
		pairs[i] = label + `="` + escape.Replace(values[i]) + `"`
	}
	b.WriteString(name)
	if len(pairs) > 0 {
		b.WriteString("{" + strings.Join(pairs, ",") + "}")
	}
	b.WriteString(" " + number(v) + "\n")
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Metrics holds the numbers of one process since it started. The numbers are lost when the process ends. Package
// activity keeps the numbers that must outlive a process.
type Metrics struct {
	// Checks counts the checks that ended, by outcome: the outcomes of package schedule, "indexed" for a check that
	// indexed content fetched before, "purged" for a check that removed an item, and "untried" for a check that was put
	// off because workers died. A check whose finding was not committed is not counted.
	Checks  *Counter
	Changes *Counter // checks that found new content, including first checks
	Kinds   *Counter // changes by kind (see package change), without collapses that wait for confirmation
	Bytes   *Counter // bytes of fetched bodies, after decoding
	// Errors counts errors by the place where they arose (fetch, storage, index, invocation) and by kind of fault. A
	// missing row or a conflict in storage is normal and is not counted. Pages that fail are counted in Checks.
	Errors *Counter
	// Storage counts storage operations by service (table, queue, blob) and by the name of the port's method. A query
	// or a list is one operation, however many requests its pages take.
	Storage        *Counter
	PolitenessWait *Histogram // seconds that a request waited for its host; requests that did not wait are left out
	// QueueAge is the time from the insertion of a message to its delivery, in seconds and by function. It includes a
	// requested delay.
	QueueAge *Histogram
	// Invocations counts invocations by function or route and by outcome: ok, refused (the caller's fault), dropped
	// (an unreadable message), failed.
	Invocations *Counter
	Duration    *Histogram // how long invocations took, in seconds, by function
	IndexPages  *Counter   // pages written to the search index and removed from it, by operation
	// ChunkCollisions counts the chunks written to the index that shared their uid with another chunk of the same
	// page (002 §5.4), by the means that distinguished them: context, ordinal.
	ChunkCollisions *Counter
	ModelTokens     *Counter // tokens that language models read and wrote, by direction: in, out
	// Deliveries counts attempts to send a message to a channel, by service (webhook, or a service of package send)
	// and by outcome: sent, retried, failed (permanently).
	Deliveries *Counter
	// Renders is how long browsers took for a page, in seconds and by outcome: ok, page or browser, which failed. Spared
	// counts the checks of pages that a browser may read and that used none, by reason: readable, same (the answer is
	// the one that was rendered before), needless (a browser is known to show no more).
	Renders *Histogram
	Spared  *Counter
	// Failures counts the checks that failed, and the messages that were given up, by kind: dns, connection, tls and
	// robots where the host cannot be reached; http_4xx and http_5xx by the status; page where an answer cannot be read;
	// index; delivery; poisoned for a message of a queue that was given up; and the kinds of package fault.
	Failures *Counter

	// The gauges hold what the sweep, the timers and the notifier have read last, so that a read of the metrics costs no
	// operation of storage.
	Items             Gauge // by status
	Due               Gauge // items that wait for a check that is due; a lower bound, see registry.Overdue
	OldestDue         Gauge // seconds for which the first of them has been due
	HostsUnreachable  Gauge // hosts with items that wait because the host cannot be reached
	DeliveriesWaiting Gauge // messages by channel; of at most 50 channels, the rest is of the channel "other"
	LastSweep         Gauge // seconds since the last sweep ended without an error
	LastBackup        Gauge // seconds since the last backup of the data folder
	DiskFree          Gauge // bytes on the disk of the data folder
	Memory            Gauge // bytes of memory that the process uses
	BuildInfo         Gauge // 1, by version and commit
}

var (
	short = []float64{0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 270}
	long  = []float64{0.5, 1, 2.5, 5, 10, 30, 60, 300, 600, 1800, 3600, 6 * 3600, 24 * 3600}
)

// New returns metrics at zero.
func New() *Metrics {
	m := &Metrics{
		Checks:  newCounter("tidemark_checks_total", "Checks of items ended, by outcome.", "outcome"),
		Changes: newCounter("tidemark_changes_total", "Checks that found new content."),
		Kinds: newCounter("tidemark_change_kinds_total",
			"Checks that found something else than before, by the kind of the change.", "kind"),
		Bytes:  newCounter("tidemark_fetched_bytes_total", "Bytes of bodies fetched, decoded."),
		Errors: newCounter("tidemark_errors_total", "Errors by where they arose and kind of fault.", "of", "kind"),
		Storage: newCounter("tidemark_storage_operations_total", "Operations of storage by service and name.",
			"service", "op"),
		PolitenessWait: newHistogram("tidemark_politeness_wait_seconds", "Waits of requests for the turn of their host.",
			short),
		QueueAge: newHistogram("tidemark_queue_age_seconds", "Age of queue messages when they were delivered.", long,
			"function"),
		Invocations: newCounter("tidemark_invocations_total", "Invocations by function and outcome.", "function",
			"outcome"),
		Duration: newHistogram("tidemark_invocation_duration_seconds", "Duration of invocations by function.", short,
			"function"),
		IndexPages: newCounter("tidemark_index_pages_total", "Pages written to and removed from the search index.",
			"op"),
		ChunkCollisions: newCounter("tidemark_chunk_collisions_total",
			"Chunks indexed whose uid another chunk of their page had, by what told them apart.", "by"),
		ModelTokens: newCounter("tidemark_model_tokens_total", "Tokens that language models read (in) and wrote (out).",
			"direction"),
		Deliveries: newCounter("tidemark_deliveries_total",
			"Tries to bring a message to a channel, by service and outcome.", "service", "outcome"),
		Renders: newHistogram("tidemark_render_seconds", "Times that browsers took to render a page, by outcome.", short,
			"outcome"),
		Spared: newCounter("tidemark_renders_spared_total",
			"Checks of pages that a browser may read and that used none, by reason.", "reason"),
		Failures: newCounter("tidemark_failures_total", "Checks that failed and messages that were given up, by kind.",
			"kind"),
		Items: newGauge("tidemark_items", "Items by status.", "status"),
		Due:   newGauge("tidemark_due", "Items that wait for a check that is due; there may be more."),
		OldestDue: newGauge("tidemark_oldest_due_seconds",
			"How long the item that has waited longest has been due."),
		HostsUnreachable: newGauge("tidemark_hosts_unreachable", "Hosts that cannot be reached, with items that wait."),
		DeliveriesWaiting: newGauge("tidemark_deliveries_waiting", "Messages that wait, by channel.",
			"channel"),
		LastSweep:  newGauge("tidemark_last_sweep_seconds", "Time since the last sweep ended well."),
		LastBackup: newGauge("tidemark_last_backup_seconds", "Time since the last backup of the data folder."),
		DiskFree:   newGauge("tidemark_disk_free_bytes", "Bytes that are free on the disk of the data folder."),
		Memory:     newGauge("tidemark_memory_bytes", "Bytes of memory that the process uses."),
		BuildInfo:  newGauge("tidemark_build_info", "Always 1, by version and commit.", "version", "commit"),
	}
	m.ChunkCollisions.starting("context", "ordinal")
	m.ModelTokens.starting("in", "out")
	m.Renders.starting("ok", "page", "browser")
	m.Spared.starting("readable", "same", "needless")
	m.Failures.starting("dns", "connection", "tls", "robots", "http_4xx", "http_5xx", "page", "index", "delivery",
		"poisoned")
	return m
}

// Read returns all families in the order of the struct. When work continues meanwhile, the values are not from one
// instant.
func (m *Metrics) Read() []Family {
	return []Family{
		m.Checks.read(), m.Changes.read(), m.Kinds.read(), m.Bytes.read(), m.Errors.read(), m.Storage.read(),
		m.PolitenessWait.read(), m.QueueAge.read(),
		m.Invocations.read(), m.Duration.read(), m.IndexPages.read(), m.ChunkCollisions.read(), m.ModelTokens.read(),
		m.Deliveries.read(), m.Renders.read(), m.Spared.read(), m.Failures.read(),
		m.Items.read(), m.Due.read(), m.OldestDue.read(), m.HostsUnreachable.read(), m.DeliveriesWaiting.read(),
		m.LastSweep.read(), m.LastBackup.read(), m.DiskFree.read(), m.Memory.read(), m.BuildInfo.read(),
	}
}
