package funchost

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// certificateAge is the time for which a certificate is used before its files are checked for changes.
const certificateAge = 10 * time.Second

// Certificate is the certificate for TLS. It is read from two files, which may be replaced while it is in use. If the
// new files cannot be read, or do not match, the old certificate stays in use.
type Certificate struct {
	chain, key string
	log        *slog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	readAt  time.Time
	changed [2]time.Time // modification times of the two files when current was read
}

// LoadCertificate reads a certificate with its chain, and its private key, both in PEM format.
func LoadCertificate(chain, key string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{chain: chain, key: key, log: log}
	defaults.Log(&c.log)
	if err := c.load(); err != nil {
		return nil, fault.Field("TLS_CERT_FILE", "TLS_CERT_FILE, TLS_KEY_FILE: %w", err)
	}
	return c, nil
}

func (c *Certificate) load() error {
	changed := [2]time.Time{changedAt(c.chain), changedAt(c.key)}
	pair, err := tls.LoadX509KeyPair(c.chain, c.key)
	if err != nil {
		return err
	}
	c.current, c.changed, c.readAt = &pair, changed, time.Now()
	return nil
}

func changedAt(name string) time.Time {
	info, err := os.Stat(name)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// get returns the certificate in the files. It may miss a change of the files in the last certificateAge.
func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.readAt) < certificateAge {
		return c.current, nil
	}
	c.readAt = time.Now()
	if c.changed != [2]time.Time{changedAt(c.chain), changedAt(c.key)} {
		if err := c.load(); err != nil {
			c.log.Warn("the new certificate cannot be read; the old one stays in use", "err", err)
		} else {
			c.log.Info("a new certificate is in use")
		}
	}
	return c.current, nil
}

// Is reports whether c is the certificate that a server has presented.
func (c *Certificate) Is(presented *x509.Certificate) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Equal(c.current.Certificate[0], presented.Raw)
}

// config returns the TLS configuration of a server.
func (c *Certificate) config() *tls.Config {
	return &tls.Config{GetCertificate: c.get, MinVersion: tls.VersionTLS12}
}
