// Package wire reads requests strictly into the types of their routes, writes answers and errors the same way
// everywhere, and passes messages from queues to their steps. All areas of the API share it.
//
// A type of the API is made from a type of the domain in one place. That is a function xJSON beside the handlers that
// answer with it; a function of this package, such as [Capture], if several areas answer with it; and a method JSON of
// the domain type if not only handlers send or print it, as webhooks do with a change. Package notify is the exception:
// it stores rules and channels as the API has them, and returns types of the API.
//
// A request may have only what its route's type lists for the path, the query and the body. Names are case-sensitive,
// no field may occur twice, and numbers must be within the bounds of the type's tags.
//
// Error kinds become answers in one place each, HTTP in [Refuse] and triggers in package handlers:
//
//	kind          HTTP                          queue and timer
//	""            2xx                           200 {}
//	Invalid       400 problem                   200 {}: a retry would not help; recorded
//	NotFound      404                           200 {}
//	Conflict      409                           500: the host retries
//	Blocked       403                           200 {}
//	TooLarge      413                           200 {}
//	Throttled     429 with Retry-After          500
//	Unavailable   503                           500
//	Internal      500, without details          500
package wire
