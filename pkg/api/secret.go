package api

// The names of an environment variable and of a header. The local Functions host gives the handler a secret in the
// variable, and sends the same secret in the header of each request. Other hosts do neither.
const (
	HostSecretVar    = "TIDEMARK_HOST_SECRET"
	HostSecretHeader = "X-Tidemark-Host-Secret"
)

// HostUserHeader is the header in which the local Functions host names the user of a request, as a trusted proxy has
// reported it. The host removes the header from everything that it receives.
const HostUserHeader = "X-Tidemark-User"
