package app

import (
	"fmt"

	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/notify"
)

// rulesFile reads the file of rules and channels, if one is named.
func (s *settings) rulesFile() notify.File {
	name := s.text("RULES_FILE", "")
	if name == "" {
		return notify.File{}
	}
	data, err := readSites(name)
	if err != nil {
		s.problems = append(s.problems, fmt.Sprintf("RULES_FILE=%q: allowed is a file that can be read: %v", name, err))
		return notify.File{}
	}
	file, err := notify.ParseFile(name, data)
	if err != nil {
		s.problems = append(s.problems, err.Error())
	}
	return file
}

// webhookHosts are the receivers that may have private addresses.
func (s *settings) webhookHosts() []string {
	hosts := s.list("WEBHOOK_ALLOW_HOSTS", nil)
	if _, err := fetch.New(fetch.Config{AllowHosts: hosts}); err != nil {
		s.problems = append(s.problems, "WEBHOOK_ALLOW_HOSTS="+err.Error())
	}
	return hosts
}
