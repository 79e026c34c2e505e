package app

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
)

// Setting is one environment variable.
type Setting struct {
	Name string
	// Default is what an unset variable means, written as it would be set; empty when unset means
	// none.
	Default string
	audience
	value
	meaning string // plain text, with units; {bounds}, {least} and {most} stand for the bounds of the value
}

// audience says who may know a value.
type audience int

const (
	hidden  audience = iota // nobody: it may be a secret, and is not repeated in an error either
	shown                   // callers that may ask the server for its configuration
	command                 // it is the command line's, of which the server knows nothing
)

// value says how the text of a setting is read, and into what.
type value struct {
	least, most int // bounds of a whole number
	read        func(s *settings, name string)
}

// elsewhere is a value that the storage, the command line or another setting reads.
var elsewhere value

// Meaning is what a setting means, with its bounds.
func (s Setting) Meaning() string {
	least, most := strconv.Itoa(s.least), strconv.Itoa(s.most)
	return strings.NewReplacer("{bounds}", least+" to "+most, "{least}", least, "{most}", most).Replace(s.meaning)
}

// SettingsTable is [Settings] as docs/settings.md has them.
func SettingsTable() string {
	var b strings.Builder
	b.WriteString("| name | default | meaning |\n|---|---|---|\n")
	for _, s := range Settings {
		def := ""
		if s.Default != "" {
			def = "`" + s.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Name, def, s.Meaning())
	}
	return b.String()
}

// settings reads values and collects what is wrong with them, so that one start tells all.
type settings struct {
	get      func(string) string
	all      []Setting
	problems []string
}

func (s *settings) find(name string) Setting {
	return s.all[slices.IndexFunc(s.all, func(one Setting) bool { return one.Name == name })]
}

// bad says what is allowed of a setting, and what it is unless that may be a secret.
func (s *settings) bad(name, allowed string) {
	if s.find(name).audience == hidden {
		s.withhold(name, allowed)
		return
	}
	s.problems = append(s.problems, fmt.Sprintf("%s=%q: allowed is %s", name, s.get(name), allowed))
}

// withhold is bad for a value that may be a secret.
func (s *settings) withhold(name, allowed string) {
	s.problems = append(s.problems, name+"=…: allowed is "+allowed)
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

// text is the value of a setting, or its default.
func (s *settings) text(name string) string {
	return cmp.Or(s.get(name), s.find(name).Default)
}

// read reads a setting. One that is not allowed is told, and its default is taken.
func read[T any](s *settings, name, allowed string, parse func(text string) (T, bool)) T {
	v, ok := parse(s.text(name))
	if !ok {
		s.bad(name, allowed)
		v, _ = parse(s.find(name).Default)
	}
	return v
}

// number reads a whole number, 0 if none is set and there is no default.
func (s *settings) number(name string) int {
	one := s.find(name)
	return read(s, name, fmt.Sprintf("a whole number from %d to %d", one.least, one.most), func(text string) (int, bool) {
		if text == "" {
			return 0, true
		}
		n, err := strconv.Atoi(text)
		return n, err == nil && n >= one.least && n <= one.most
	})
}

func (s *settings) truth(name string) bool {
	return read(s, name, "true or false", func(text string) (bool, bool) {
		b, err := strconv.ParseBool(text)
		return b, err == nil
	})
}

func whole[T int | int64](into *T, least, most int) value {
	return value{least, most, func(s *settings, name string) { *into = T(s.number(name)) }}
}

// span is a whole number of some unit.
func span(into *time.Duration, least, most int, unit time.Duration) value {
	return value{least, most, func(s *settings, name string) { *into = time.Duration(s.number(name)) * unit }}
}

// share is a part of a whole.
func share(into *float64) value {
	return by(func(s *settings, name string) {
		*into = read(s, name, "a number from 0 to 1", func(text string) (float64, bool) {
			f, err := strconv.ParseFloat(text, 64)
			return f, err == nil && f >= 0 && f <= 1
		})
	})
}

func truth(into *bool) value {
	return by(func(s *settings, name string) { *into = s.truth(name) })
}

// not is a truth whose opposite is kept.
func not(into *bool) value {
	return by(func(s *settings, name string) { *into = !s.truth(name) })
}

func asIs(into *string) value {
	return by(func(s *settings, name string) { *into = s.text(name) })
}

// form is a text that a pattern matches.
func form(into *string, pattern, allowed string) value {
	return as(into, func(text string) (string, error) {
		if !regexp.MustCompile(pattern).MatchString(text) {
			return "", fault.New(fault.Invalid, "want %s", allowed)
		}
		return text, nil
	}, allowed)
}

func list(into *[]string) value {
	return by(func(s *settings, name string) { *into = split(s.text(name)) })
}

// as is a value whose own package decides what is allowed. Its errors are sentences of their own, so what is allowed
// is said here once more.
func as[T any](into *T, parse func(string) (T, error), allowed string) value {
	return by(func(s *settings, name string) {
		*into = read(s, name, allowed, func(text string) (T, bool) {
			v, err := parse(text)
			return v, err == nil
		})
	})
}

// by is a value that is read in a way of its own.
func by(read func(s *settings, name string)) value { return value{read: read} }

func split(list string) []string {
	var out []string
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// fetchSetting says which setting a field of fetch.Config comes from.
func fetchSetting(err error) string {
	name := map[string]string{
		"UserAgent": "CRAWL_USER_AGENT", "Contact": "CRAWL_CONTACT", "AllowHosts": "CRAWL_ALLOW_HOSTS",
		"MaxBytes": "CRAWL_MAX_BYTES", "Timeout": "CRAWL_TIMEOUT_SECONDS", "MaxRedirects": "CRAWL_MAX_REDIRECTS",
	}[fault.FieldOf(err)]
	return name + "=" + err.Error()
}
