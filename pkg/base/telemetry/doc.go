// Package telemetry reports what the process does: numbers for monitoring, and for each invocation the names by which
// its log lines are found.
//
// [Metrics] holds the numbers of this process since it started. The values of every label come from a list in the
// code (an outcome, a kind of fault, a function) and never from data that strangers send: hosts and addresses are not
// labels. [Metrics.WriteText] writes the numbers for Prometheus, and [Metrics.Read] returns them for any other
// display.
//
// A [Scope] says to which invocation, function and trace the work under a context belongs. [NewHandler] adds the
// scope to every log line written with that context. A [Span] is an invocation that has ended.
//
// The trace of a request travels as W3C traceparent (https://www.w3.org/TR/trace-context/) in the queue messages that
// the request causes, and from message to message. The trace ends at the border of the program: requests to sites,
// models and storage carry no trace header.
//
// # Alternatives considered
//
// A metrics library (VictoriaMetrics/metrics, the smallest) writes the text format, but the program cannot read the
// values back from it, and the hourly activity report needs the values. The code around a library would also be
// longer than the code that the library saves.
package telemetry
