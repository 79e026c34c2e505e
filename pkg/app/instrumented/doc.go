// Package instrumented counts the operations of ports and the requests to the web, for package telemetry. Each
// function wraps an implementation and does not change its behaviour.
package instrumented
