package app

import (
	"errors"
	"log/slog"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/ops/keys"
	"github.com/tidemark/tidemark/pkg/ops/secrets"
)

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

// secretKey returns the value of a setting that is a key for secrets. Errors do not repeat it.
func secretKey(into *string) value {
	return by(func(s *settings, name string) {
		if *into = s.text(name); *into == "" {
			return
		}
		if _, err := secrets.ParseKey(*into); err != nil {
			s.withhold(name, err.Error())
		}
	})
}

// publicURL reads the address at which people reach the installation.
func publicURL(into *string) value {
	return by(func(s *settings, name string) {
		text := s.text(name)
		if text == "" {
			return
		}
		address, err := notify.ParseHome(text)
		if *into = address; err != nil {
			s.bad(name, err.Error())
		}
	})
}

// secrets returns the keys for secrets. There is a key file only if the store is in the data folder, too. Another store
// may have several instances, or outlive their disks, so a key on one disk could not decrypt its secrets.
func (c Config) secrets(get func(string) string, log *slog.Logger) *secrets.Keys {
	o := secrets.Options{Key: c.SecretsKey, Old: c.OldKey, Log: log}
	if get("STORAGE") == Embedded && !c.Cloud {
		o.Folder = c.Data
	}
	return secrets.Load(o)
}

// readUserHeader refuses AUTH_HEADER where nothing drops it from the requests of strangers. Only the local host does.
func (c *Config) readUserHeader(s *settings, name string) {
	if s.get(name) != "" && inCloud(s.get) {
		s.bad(name, "no value in Azure, whose host does not drop the header from what strangers send")
	}
}

// parseUserScope reads the scope of users whom a proxy has signed in.
func parseUserScope(text string) (api.Scope, error) {
	if s := api.Scope(text); s.Covers(api.ScopeRead) {
		return s, nil
	}
	return "", errors.New("unknown scope")
}
