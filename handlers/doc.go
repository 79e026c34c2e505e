// Package handlers answers invocations. It checks the caller's access, finds the area that answers, and limits how
// long the answer may take. An area is a part of the API: each of its functions takes a decoded request or a message,
// calls one service and returns the answer. [Services] gives each area the services that it needs, and no others.
//
// The host passes HTTP requests on with their original path (/api/…). To call a queue or timer function, the host
// sends POST /<FunctionName> with an envelope as the body. The answer to such a call is always a JSON object; without
// one, the host would wait until the function times out. Package wire documents the answer for each kind of error.
//
// If a page fails, its invocation still succeeds: the failure is recorded on the page's item.
package handlers
