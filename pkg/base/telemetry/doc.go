// Package telemetry reports what the process does: numbers for monitoring, and for each invocation the names by which
// its log lines are found.
//
// [Metrics] are the few numbers of this process since it started. The values of every label come from a list in the
// code (an outcome, a kind of fault, a function) and never from data that strangers send: hosts and addresses are not
// labels. [Metrics.WriteText] writes them for Prometheus, and [Metrics.Read] returns them for any other display.
//
// A [Scope] names the invocation, the function and the trace that the work under a context belongs to. [NewHandler]
// adds the scope to every log line written with that context. A [Span] is an invocation that has ended.
//
// The trace of a request travels as W3C traceparent (https://www.w3.org/TR/trace-context/) in the queue messages that
// the request causes, and from message to message. It ends at the border of the program: requests to sites, models
// and storage carry no trace header.
//
// # Alternatives considered
//
// A metrics library (VictoriaMetrics/metrics, the smallest) writes the text format, but does not let the program read
// the values, which the activity of an hour needs. The part that a library would save is shorter than the code around
// it would be.
package telemetry
