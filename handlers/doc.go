// Package handlers answers invocations. It checks the caller's access, finds the area that answers, and limits how
// long the answer may take. The areas are packages below this one: each function in them decodes a request or a
// message, calls one service and encodes the answer. [Services] gives each area the services that it needs.
//
// The host passes HTTP requests on with their original path (/api/…). It calls a queue or timer function with POST
// /<FunctionName>, and sends its envelope as the body. The answer to such a call is always a JSON object; without
// one, the host would wait until the function times out. Package wire documents which answer each kind of error
// becomes.
//
// If a page fails, its invocation still succeeds: the failure is recorded on the page's item.
package handlers
