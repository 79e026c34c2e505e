package app

import (
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/notify"
)

// readRules reads the file of rules and channels, if the setting has the name of one.
func (c *Config) readRules(s *settings, name string) {
	path := s.text(name)
	if path == "" {
		return
	}
	data, err := readFile(path)
	if err != nil {
		s.bad(name, "a file that can be read: "+err.Error())
		return
	}
	if c.RulesFile, err = notify.ParseFile(path, data); err != nil {
		s.problems = append(s.problems, err.Error())
	}
}

// readWebhookHosts reads the receivers that may have private addresses.
func (c *Config) readWebhookHosts(s *settings, name string) {
	c.WebhookHosts = words.Parts(s.text(name), ",")
	if _, err := fetch.New(fetch.Config{AllowHosts: c.WebhookHosts}); err != nil {
		s.problems = append(s.problems, name+"="+err.Error())
	}
}
