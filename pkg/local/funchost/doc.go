// Package funchost runs Tidemark's function app on this machine exactly as the Azure Functions host would:
// same protocol, same process rules, same mistakes, so that what works here works there.
//
// It reads a script root (host.json, one folder per function with function.json, the handler
// executable, optionally local.settings.json), starts the handler as a custom handler, serves HTTP,
// listens to queues through the storage port and fires timers. It is a development host. Production
// is the Azure Functions host, which also scales, authenticates and bills.
//
// # The life of an invocation
//
//	trigger        encoded by     sent by              answered by
//	HTTP           -              proxy (streams)      the handler's own response
//	queue message  queueEnvelope  invoke POST /<Name>  success deletes, failure releases or poisons
//	timer          timerEnvelope  invoke POST /<Name>  success or failure, the schedule goes on
//
// All invocations wait until the handler process answers GET / and then share that one process. A
// function that runs longer than functionTimeout gets the whole process killed and restarted, as in
// Azure; there is no cancel message in the protocol.
//
// # Where it differs, on purpose
//
// Everything the host of Azure leaves to be found out in production is loud here: an empty answer, a
// wrong media type, an unknown binding. It knows what Tidemark's functions need and no more: queue messages
// as bytes, cron timers, plain routes, HTTP requests that pass through. Settings that ask for something
// else are refused at load, not ignored. Idle queue listeners are woken when an invocation ends, because
// that is when new messages appear; the real host would find them up to its polling interval later. Keys
// are not checked here: without [Options.Keys] the host answers to localhost alone, and refuses a browser's
// cross-origin requests that could change something; with it the app checks keys of its own, and others may reach it.
package funchost
