package api

// The local Functions host gives the handler a secret in the environment variable, and says it with each
// request in the header. Other hosts do neither.
const (
	HostSecretVar    = "TIDEMARK_HOST_SECRET"
	HostSecretHeader = "X-Tidemark-Host-Secret"
)
