// Package funchost runs Tidemark's function app on this machine exactly as the Azure Functions host would, with the
// same protocol, the same process rules and the same faults. An app that works here works there.
//
// It reads a script root (host.json, one folder per function with function.json, the handler executable, optionally
// local.settings.json), starts the handler as a custom handler, serves HTTP, listens to queues through the storage
// port and fires timers. It is a development host. Production uses the Azure Functions host, which also scales,
// authenticates and bills.
//
// # The life of an invocation
//
//	trigger        encoded by     sent by              answered by
//	HTTP           -              proxy (streams)      the handler's own response
//	queue message  queueEnvelope  invoke POST /<Name>  success deletes, failure releases or poisons
//	timer          timerEnvelope  invoke POST /<Name>  success or failure, the schedule continues
//
// All invocations wait until the handler process answers GET / and then share that one process. If a function runs
// longer than functionTimeout, the whole process is killed and restarted, as in Azure, because the protocol has no
// message that cancels an invocation.
//
// # Deliberate differences
//
// This host reports at once some errors that Azure's host reveals only in production: an empty answer, a wrong media
// type, an unknown binding. It supports only what Tidemark's functions need: queue messages as bytes, cron timers,
// plain routes, HTTP requests that pass through. If a setting requires anything else, the host refuses it at load
// instead of ignoring it. While an invocation runs, idle queue listeners poll each second, and once more when it ends,
// because new messages often appear then; the real host would find such messages up to its polling interval later.
//
// This host does not check keys. Without [Options.Keys] it answers to localhost only, and refuses a browser's
// cross-origin requests that could change something. With [Options.Keys] the app checks its own keys, and other
// machines may connect.
package funchost
