// Package handlers answers invocations. It checks the caller's access, finds the area that answers, and limits how
// long the answer may take. The areas are packages below this one: each function in them decodes a request or a
// message, calls one service and encodes the answer. [Services] gives each area the services that it needs.
//
// The host passes HTTP requests on with their original path (/api/…). Queue and timer functions arrive as POST
// /<FunctionName> with the host's envelope. The answer to them is always a JSON object, because the host waits for
// one until the function times out. Package wire documents how error kinds become answers.
//
// A page that fails is not an error of its invocation: the failure is recorded on its item, and the invocation
// succeeds.
package handlers
