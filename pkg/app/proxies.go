package app

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
)

// readProxyLogin reads the user and password for the proxy.
func (c *Config) readProxyLogin(s *settings, name string) {
	given := s.text(name)
	if given == "" {
		return
	}
	login, err := credential.ForMessages(s.get, given)
	if err != nil {
		s.problems = append(s.problems, name+": "+err.Error())
	}
	c.Fetch.Proxy.Login = login
}

// readNoProxy reads the exceptions. Other programs read the name in lower case, too.
func (c *Config) readNoProxy(s *settings, name string) {
	c.Fetch.Proxy.Except = cmp.Or(s.text(name), s.get(strings.ToLower(name)))
}

// readOthersProxy notes whether a proxy for other programs is set, by one of the names that the clients here read.
func (c *Config) readOthersProxy(s *settings, _ string) {
	names := []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"}
	c.othersProxy = slices.ContainsFunc(names, func(name string) bool { return s.get(name) != "" })
}

// Proxies says which connections use a proxy, if a proxy is set. Otherwise it returns "".
func (c Config) Proxies() string {
	switch {
	case c.Fetch.Proxy.URL != "":
		return "page fetches and messages go through EGRESS_PROXY; HTTPS_PROXY and the like are for the clients of " +
			"language models and of Azure only"
	case c.othersProxy:
		return "page fetches and messages do not use HTTPS_PROXY and the like; the clients of language models and of Azure " +
			"do. Set EGRESS_PROXY for page fetches and messages"
	}
	return ""
}
