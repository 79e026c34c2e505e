// Package handlers answers invocations: each route and each trigger of functions/ is one small
// function here that decodes, calls one service and encodes.
//
// HTTP functions are proxied by the host with their original path (/api/…). Queue and timer
// functions arrive as POST /<FunctionName> with the host's envelope, and are always answered with
// a JSON object, because the host waits for one until the function times out.
//
// Error kinds become answers in one place each:
//
//	kind          HTTP                          queue and timer
//	""            2xx                           200 {}
//	Invalid       400 problem                   200 {}: coming again would not help; recorded
//	NotFound      404                           200 {}
//	Conflict      409                           500: the host retries
//	Blocked       403                           200 {}
//	TooLarge      413                           200 {}
//	Throttled     429 with Retry-After          500
//	Unavailable   503                           500
//	Internal      500, without details          500
//
// A page that fails is none of these: it is a recorded state of its item, and the invocation
// succeeds.
package handlers
