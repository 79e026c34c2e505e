// Package wire decodes requests strictly into the types of their routes, writes answers and errors
// in one way, and passes queue messages to the functions that do their steps. All areas of the API
// share it.
//
// Each API type has one function that makes its values from a domain type. Usually this is a
// function xJSON beside the handlers that answer with the API type. If several areas answer with
// the type, the function is in this package, such as captureJSON. If code other than handlers sends
// or prints the type, as webhooks do with a change, the function is the method JSON of the domain
// type. Package notify is the exception: it stores rules and channels as API types, and returns
// them so.
//
// A request may have only what its route's type lists for the path, the query and the body. Names
// are case-sensitive, no field may occur twice, and numbers must be within the bounds of the type's
// tags.
//
// Two functions turn error kinds into answers: [Refuse] for HTTP, and one in package handlers for triggers:
//
//	kind          HTTP                          queue and timer
//	""            2xx                           200 {}
//	Invalid       400 problem                   200 {}: a retry would not help; recorded
//	NotFound      404                           200 {}
//	Expired       410                           500
//	Conflict      409                           500: the host retries
//	Blocked       403                           200 {}
//	TooLarge      413                           200 {}
//	NoRoom        507                           500
//	Throttled     429 with Retry-After          500
//	Unavailable   503                           500
//	Internal      500, without details          500
package wire
