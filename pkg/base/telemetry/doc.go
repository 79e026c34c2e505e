// Package telemetry tells what the process does: numbers that monitoring reads, and for each
// invocation the names by which its log lines are found.
//
// [Metrics] are the few numbers there are, of this process since it began. Every label takes its
// values from a list in the code (an outcome, a kind of fault, a function), never from what
// strangers send: no hosts and no addresses. [Metrics.WriteText] shows them to Prometheus,
// [Metrics.Read] to whoever shows them otherwise.
//
// A [Scope] says to which invocation of which function, and to which trace, the work under a context
// belongs. [NewHandler] adds it to every log line that is written with such a context.
// A [Span] is such an invocation when it has ended.
// The trace of the request that asked for work goes with it, as W3C traceparent
// (https://www.w3.org/TR/trace-context/), into the queue message and from there on. It ends at our
// own door: requests to sites, models and storage carry no trace header.
//
// # Alternatives considered
//
// A library of metrics (VictoriaMetrics/metrics, the smallest) writes the text, but does not let the
// values be read, which the activity of an hour needs. What is left of its work
// is shorter than the code around it would be.
package telemetry
