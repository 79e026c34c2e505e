package app

import (
	"encoding/json"
	"log/slog"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/handlers"
)

// passing holds the settings of host.json for passing on HTTP requests.
type passing struct {
	EnableProxyingHTTPRequest   bool
	EnableForwardingHTTPRequest bool
}

// passingOf reads host.json, and the environment variables that override it, in the form NAME=VALUE.
func passingOf(hostJSON []byte, environ []string) (p passing, err error) {
	var file struct{ CustomHandler passing }
	if err := json.Unmarshal(hostJSON, &file); err != nil {
		return p, err
	}
	p = file.CustomHandler
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		on, err := strconv.ParseBool(value)
		if err != nil {
			continue
		}
		switch strings.ToLower(strings.ReplaceAll(name, ":", "__")) {
		case "azurefunctionsjobhost__customhandler__enableproxyinghttprequest":
			p.EnableProxyingHTTPRequest = on
		case "azurefunctionsjobhost__customhandler__enableforwardinghttprequest":
			p.EnableForwardingHTTPRequest = on
		}
	}
	return p, nil
}

// explain logs what does not work with a host that does not proxy requests. The hosts are those of
// [handlers.Options.Hosts].
func (p passing) explain(log *slog.Logger, hosts []string) {
	switch {
	case p.EnableProxyingHTTPRequest:
	case p.EnableForwardingHTTPRequest:
		log.Warn("the Functions host passes on requests with the names that callers use for it; other names than those "+
			"listed here are refused: "+handlers.ToProxy+", or add names to ALLOWED_HOSTS", "hosts", hosts)
	default:
		log.Error("the Functions host sends HTTP requests as messages, so all of them will fail: " + handlers.ToProxy)
	}
}
