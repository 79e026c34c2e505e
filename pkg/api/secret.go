package api

// The names of an environment variable and of a header. The local Functions host gives the handler a secret in the
// variable, and sends the same secret in the header of each request. Other hosts do neither.
const (
	HostSecretVar    = "TIDEMARK_HOST_SECRET"
	HostSecretHeader = "X-Tidemark-Host-Secret"
)
