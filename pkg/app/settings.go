package app

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
	"github.com/tidemark/tidemark/pkg/registry"
)

// settings reads values and collects what is wrong with them, so that one start tells all.
type settings struct {
	get      func(string) string
	problems []string
}

func (s *settings) bad(name, allowed string) {
	s.problems = append(s.problems, fmt.Sprintf("%s=%q: allowed is %s", name, s.get(name), allowed))
}

// credentials checks those among the names of what is set. Their values stay unsaid.
func (s *settings) credentials(set []string) {
	for _, name := range set {
		if !strings.HasPrefix(name, credential.Prefix) || s.get(name) == "" {
			continue
		}
		if stored, err := credential.Name(name); err != nil || credential.Prefix+stored != name {
			s.problems = append(s.problems, name+": allowed are names of A-Z, 0-9 and _, 64 after "+credential.Prefix)
		} else if _, err := credential.Find(s.get, stored); err != nil {
			s.problems = append(s.problems, err.Error())
		}
	}
}

// Names are those of an environment such as os.Environ gives.
func Names(environ []string) []string {
	var out []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		out = append(out, name)
	}
	return out
}

func (s *settings) err() error {
	if len(s.problems) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "settings: %s", strings.Join(s.problems, "; "))
}

func (s *settings) isSet(names ...string) bool {
	for _, n := range names {
		if s.get(n) != "" {
			return true
		}
	}
	return false
}

func (s *settings) text(name, def string) string {
	if v := s.get(name); v != "" {
		return v
	}
	return def
}

func (s *settings) match(name, def, pattern, allowed string) string {
	v := s.text(name, def)
	if !regexp.MustCompile(pattern).MatchString(v) {
		s.bad(name, allowed)
		return def
	}
	return v
}

func (s *settings) number(name string, def, lo, hi int) int {
	v := s.get(name)
	if v == "" {
		return def
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < lo || n > hi {
		s.bad(name, fmt.Sprintf("a whole number from %d to %d", lo, hi))
		return def
	}
	return n
}

// budget reads what may be asked for in a day.
func (s *settings) budget(requests, bytes string) registry.Budget {
	return registry.Budget{
		Requests: int64(s.number(requests, 0, 0, site.MaxRequests)), Bytes: int64(s.number(bytes, 0, 0, site.MaxQuota)),
	}
}

// share reads a part of a whole.
func (s *settings) share(name string, def float64) float64 {
	v := s.get(name)
	if v == "" {
		return def
	}
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || !(f >= 0 && f <= 1) {
		s.bad(name, "a number from 0 to 1")
		return def
	}
	return f
}

func (s *settings) seconds(name string, def, lo, hi time.Duration) time.Duration {
	return s.duration(name, def, lo, hi, time.Second)
}

func (s *settings) milliseconds(name string, def, lo, hi time.Duration) time.Duration {
	return s.duration(name, def, lo, hi, time.Millisecond)
}

func (s *settings) duration(name string, def, lo, hi, unit time.Duration) time.Duration {
	return time.Duration(s.number(name, int(def/unit), int(lo/unit), int(hi/unit))) * unit
}

func (s *settings) flag(name string, def bool) bool {
	v := s.get(name)
	if v == "" {
		return def
	}
	b, err := strconv.ParseBool(v)
	if err != nil {
		s.bad(name, "true or false")
		return def
	}
	return b
}

func (s *settings) list(name string, def []string) []string {
	if v := s.get(name); v != "" {
		return split(v)
	}
	return def
}

func split(list string) []string {
	var out []string
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// check reads a setting whose own package decides what is allowed. Its errors are sentences of
// their own, so what is allowed is said here once more.
func check[T any](s *settings, name, def, allowed string, parse func(string) (T, error)) T {
	v, err := parse(s.text(name, def))
	if err != nil {
		s.bad(name, allowed)
	}
	return v
}

// fetchSetting says which setting a field of fetch.Config comes from.
func fetchSetting(err error) string {
	name := map[string]string{
		"UserAgent": "CRAWL_USER_AGENT", "Contact": "CRAWL_CONTACT", "AllowHosts": "CRAWL_ALLOW_HOSTS",
		"MaxBytes": "CRAWL_MAX_BYTES", "Timeout": "CRAWL_TIMEOUT_SECONDS", "MaxRedirects": "CRAWL_MAX_REDIRECTS",
	}[fault.FieldOf(err)]
	return name + "=" + err.Error()
}
