package api

// The local Functions host passes a secret to the handler in the environment variable, and sends it with each
// request in the header. Other hosts do neither.
const (
	HostSecretVar    = "TIDEMARK_HOST_SECRET"
	HostSecretHeader = "X-Tidemark-Host-Secret"
)
