// Package handlers answers invocations: each route and each trigger of functions/ is one small
// function here that decodes, calls one service and encodes.
//
// HTTP functions are proxied by the host with their original path (/api/…). Queue and timer
// functions arrive as POST /<FunctionName> with the host's envelope, and are always answered with
// a JSON object, because the host waits for one until the function times out. Package wire says how
// error kinds become answers.
//
// A page that fails is not an error of its invocation: it is a recorded state of its item, and the
// invocation succeeds.
package handlers
