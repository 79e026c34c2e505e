package telemetry

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
}

var (
	short = []float64{0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 270}
	long  = []float64{0.5, 1, 2.5, 5, 10, 30, 60, 300, 600, 1800, 3600, 6 * 3600, 24 * 3600}
)

// New returns metrics at zero.
func New() *Metrics {
	return &Metrics{
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
	}
}

// Read returns all families in the order of the struct. When work continues meanwhile, the values are not from one
// instant.
func (m *Metrics) Read() []Family {
	return []Family{
		m.Checks.read(), m.Changes.read(), m.Kinds.read(), m.Bytes.read(), m.Errors.read(), m.Storage.read(),
		m.PolitenessWait.read(), m.QueueAge.read(),
		m.Invocations.read(), m.Duration.read(), m.IndexPages.read(), m.ChunkCollisions.read(), m.ModelTokens.read(),
		m.Deliveries.read(), m.Renders.read(), m.Spared.read(),
	}
}
