// Package handlers answers invocations: it decides who may call, finds the area that answers, and bounds the time that
// the answer may take. The areas are packages below this one: each function there decodes a request or a message, calls
// one service and encodes the answer. [Services] gives each area the services that it needs.
//
// The host passes HTTP requests on with their original path (/api/…). Queue and timer functions arrive as POST
// /<FunctionName> with the host's envelope. They are always answered with a JSON object, because the host waits for one
// until the function times out. Package wire says how error kinds become answers.
//
// A page that fails is not an error of its invocation: it is a recorded state of its item, and the invocation succeeds.
package handlers
