package api

// The local Functions host gives the handler a secret in this environment variable, and sends the secret in this
// header with each request. Other hosts do neither.
const (
	HostSecretVar    = "TIDEMARK_HOST_SECRET"
	HostSecretHeader = "X-Tidemark-Host-Secret"
)
