package app

import "github.com/tidemark/tidemark/pkg/ops/keys"

// readKeys reads the keys in the environment. Errors do not repeat the value, because it is secret.
func (c *Config) readKeys(s *settings, name string) {
	var err error
	if c.Keys, err = keys.Parse(s.get(name), keys.Environment); err != nil {
		s.problems = append(s.problems, name+": "+err.Error())
	}
}

// readKeysFile checks that the key file can be read.
func (c *Config) readKeysFile(s *settings, name string) {
	c.KeysFile = s.get(name)
	if _, err := keys.ReadFile(c.KeysFile); err != nil {
		s.problems = append(s.problems, name+": "+err.Error())
	}
}
