// Package instrumented counts what goes through the ports and out to the web, for package telemetry: each
// function here wraps what it is given and changes nothing of what it does.
package instrumented
