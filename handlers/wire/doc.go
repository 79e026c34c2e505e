// Package wire is what all areas of the API have in common: a request is read strictly into the type of its route, an
// answer or an error is written the same way everywhere, and a message from a queue reaches the step that it is for.
//
// A type of the API is made from a type of the domain in one place. That is a function xJSON beside the handlers that
// answer with it; a function of this package, such as [Capture], if several areas answer with it; and a method JSON of
// the domain type if not only handlers send or print it, as webhooks do with a change.
//
// A request has what its route's type says in the path, in the query and in the body, and nothing else. Names are
// compared to the letter, no field is given twice, and numbers keep to the bounds that the type's tags say.
//
// Error kinds become answers in one place each, HTTP in [Refuse] and triggers in package handlers:
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
package wire
