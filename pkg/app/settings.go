package app

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/ops/keys"
	"github.com/tidemark/tidemark/pkg/ops/secrets"
)

// Setting is one setting, by the name that it has in the environment and in the settings file.
type Setting struct {
	Name string
	// Default is the value that an unset setting has, in the form in which it would be set. It is empty if an unset
	// setting has no value.
	Default string
	audience
	value
	meaning string // in plain text with units; the bounds of the value replace {bounds}, {least} and {most}
}

// describe returns the description of a setting, with its bounds.
func (s Setting) describe() string {
	least, most := strconv.Itoa(s.least), strconv.Itoa(s.most)
	return strings.NewReplacer("{bounds}", least+" to "+most, "{least}", least, "{most}", most).Replace(s.meaning)
}

// MeaningOf returns the description of a setting; "" if there is none of that name.
func MeaningOf(name string) string {
	for _, s := range Settings {
		prefix, _, chosen := strings.Cut(s.Name, "<")
		if s.Name == name || chosen && strings.HasPrefix(name, prefix) {
			return s.describe()
		}
	}
	return ""
}

// isSecret reports whether the value of a setting may be a secret.
func (s Setting) isSecret() bool { return s.audience == hidden || s.audience == commandKey }

// audience says who may see the value of a setting.
type audience int

const (
	hidden     audience = iota // no one may see it: it may be a secret, and errors do not repeat it either
	shown                      // callers that may read the server's configuration may see it
	command                    // only the command line reads the setting, not the server
	commandKey                 // as command, and it is a secret
)

// A value says how the text of a setting is parsed, and where the result is stored.
type value struct {
	least, most int    // bounds of a whole number
	allowed     string // describes the allowed values, to follow "allowed is"
	read        func(s *settings, name string)
}

// elsewhere is for a setting that this package does not read itself: the storage, the command line or the code for
// another setting reads it.
func elsewhere(allowed string) value { return value{allowed: allowed} }

// settings reads values and collects their errors, so that one start reports them all.
type settings struct {
	get      func(string) string
	all      []Setting
	problems []string
}

func (s *settings) find(name string) Setting {
	return s.all[slices.IndexFunc(s.all, func(one Setting) bool { return one.Name == name })]
}

// bad reports that a setting is invalid, with the allowed values, and with the value itself unless it may be a
// secret.
func (s *settings) bad(name, allowed string) {
	if s.find(name).isSecret() {
		s.withhold(name, allowed)
		return
	}
	s.problems = append(s.problems, fmt.Sprintf("%s=%q: allowed is %s", name, s.get(name), allowed))
}

// wrong reports that a setting is invalid, with the allowed values and what is wrong.
func (s *settings) wrong(name string, err error) {
	s.bad(name, s.find(name).allowed+" ("+err.Error()+")")
}

// withhold reports that a setting is invalid, without the value, which may be a secret.
func (s *settings) withhold(name, allowed string) {
	s.problems = append(s.problems, name+"=…: allowed is "+allowed)
}

// credentials checks the credentials among the variables that are set, given the names of all these variables. Errors
// do not contain the values.
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

// Names returns the names of the variables in an environment that has the form of [os.Environ].
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
	return fault.New(fault.Invalid, "settings: %w", Problems(s.problems))
}

// Problems is an error that lists what is wrong with settings, each with the name of its setting.
type Problems []string

// Error returns the list as one line.
func (p Problems) Error() string { return strings.Join(p, "; ") }

func (s *settings) isSet(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return s.get(name) != "" })
}

// text returns the value of a setting, or its default.
func (s *settings) text(name string) string {
	return cmp.Or(s.get(name), s.find(name).Default)
}

// read parses a setting. An invalid value is reported, and the default is used.
func read[T any](s *settings, name string, parse func(text string) (T, bool)) T {
	v, ok := parse(s.text(name))
	if !ok {
		s.bad(name, s.find(name).allowed)
		v, _ = parse(s.find(name).Default)
	}
	return v
}

// number parses a whole number. It returns 0 if the setting is unset and has no default.
func (s *settings) number(name string) int {
	one := s.find(name)
	return read(s, name, func(text string) (int, bool) {
		if text == "" {
			return 0, true
		}
		n, err := strconv.Atoi(text)
		return n, err == nil && n >= one.least && n <= one.most
	})
}

func (s *settings) truth(name string) bool {
	return read(s, name, func(text string) (bool, bool) {
		b, err := strconv.ParseBool(text)
		return b, err == nil
	})
}

// bounded returns the value of a setting that is a whole number.
func bounded(least, most int, read func(s *settings, name string)) value {
	return value{least, most, fmt.Sprintf("a whole number from %d to %d", least, most), read}
}

func whole[T int | int64](into *T, least, most int) value {
	return bounded(least, most, func(s *settings, name string) { *into = T(s.number(name)) })
}

// span returns the value of a setting that is a duration, given as a whole number of a unit.
func span(into *time.Duration, least, most int, unit time.Duration) value {
	return bounded(least, most, func(s *settings, name string) { *into = time.Duration(s.number(name)) * unit })
}

// share returns the value of a setting that is a fraction of a whole.
func share(into *float64) value {
	return as(into, func(text string) (float64, error) {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || !(f >= 0 && f <= 1) {
			return 0, errors.New("out of bounds")
		}
		return f, nil
	}, "a number from 0 to 1")
}

func truth(into *bool) value {
	return by(func(s *settings, name string) { *into = s.truth(name) }, "true or false")
}

// not(into) is for a boolean setting whose opposite is stored.
func not(into *bool) value {
	return by(func(s *settings, name string) { *into = !s.truth(name) }, "true or false")
}

func asIs(into *string, allowed string) value {
	return by(func(s *settings, name string) { *into = s.text(name) }, allowed)
}

// form returns the value of a setting that is a text and must match a pattern.
func form(into *string, pattern, allowed string) value {
	return as(into, func(text string) (string, error) {
		if !regexp.MustCompile(pattern).MatchString(text) {
			return "", errors.New("no match")
		}
		return text, nil
	}, allowed)
}

func list(into *[]string, allowed string) value {
	return by(func(s *settings, name string) { *into = words.Parts(s.text(name), ",") }, allowed)
}

// as(…) is for a setting whose text a function parses. Its errors are not repeated: allowed says what they would.
func as[T any](into *T, parse func(string) (T, error), allowed string) value {
	return by(func(s *settings, name string) {
		*into = read(s, name, func(text string) (T, bool) {
			v, err := parse(text)
			return v, err == nil
		})
	}, allowed)
}

// by(read, allowed) is for a setting with its own function for reading it.
func by(read func(s *settings, name string), allowed string) value {
	return value{allowed: allowed, read: read}
}

// fetched reports an error about a field of fetch.Config, by the name of that field's setting.
func (s *settings) fetched(err error) {
	switch name := fetchFields[fault.FieldOf(err)]; name {
	case "EGRESS_PROXY": // the value may have a password
		s.withhold(name, s.find(name).allowed)
	case "":
		s.problems = append(s.problems, err.Error())
	default:
		s.bad(name, s.find(name).allowed)
	}
}

// shownSettings returns the settings with their values, or with their defaults, for GET config. If the value of a
// setting may be a secret, Shown only reports whether the setting is set.
func shownSettings(get func(string) string) map[string]string {
	out := map[string]string{}
	for _, s := range Settings {
		if strings.Contains(s.Name, "<") || s.audience == command || s.audience == commandKey {
			continue // users choose these names, and the names alone may reveal something
		}
		value := get(s.Name)
		switch {
		case value == "" && s.Default != "":
			out[s.Name] = s.Default
		case value != "" && s.audience == shown:
			out[s.Name] = value
		case value != "":
			out[s.Name] = "(set)"
		}
	}
	return out
}

// readKeys reads the keys in the environment. Errors do not repeat the value, because it is secret.
func (c *Config) readKeys(s *settings, name string) {
	var err error
	if c.Keys, err = keys.Parse(s.get(name), keys.Environment); err != nil {
		s.wrong(name, err)
	}
}

// readKeysFile checks that the key file can be read.
func (c *Config) readKeysFile(s *settings, name string) {
	c.KeysFile = s.get(name)
	if _, err := keys.ReadFile(c.KeysFile); err != nil {
		s.wrong(name, err)
	}
}

// secretKey returns the value of a setting that is a key for secrets.
func secretKey(into *string) value {
	return as(into, func(text string) (string, error) {
		if text == "" {
			return "", nil
		}
		_, err := secrets.ParseKey(text)
		return text, err
	}, secretKeyAllowed)
}

// publicURL reads the address at which people reach the installation.
func publicURL(into *string) value {
	return by(func(s *settings, name string) {
		text := s.text(name)
		if text == "" {
			return
		}
		address, err := notify.ParseHome(text)
		switch *into = address; {
		case err == nil:
		case strings.HasPrefix(err.Error(), "an address "): // which says what is allowed
			s.bad(name, err.Error())
		default:
			s.wrong(name, err)
		}
	}, homeAllowed)
}

// basePath reads the path below which a proxy has the app.
func basePath(into *string) value {
	return by(func(s *settings, name string) {
		path, err := api.ParsePrefix(s.text(name))
		switch *into = path; {
		case err != nil:
			s.bad(name, err.Error())
		case strings.HasPrefix(strings.ToLower(path)+"/", "/api/"):
			s.bad(name, pathAllowed+", not below /api, where the program's own paths are")
		}
	}, pathAllowed)
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

const levelAllowed = "debug, info, warn or error"

// ParseLevel reads the value of LOG_LEVEL. Errors: Invalid.
func ParseLevel(text string) (level slog.Level, err error) {
	levels := map[string]slog.Level{"": slog.LevelInfo, "debug": slog.LevelDebug, "info": slog.LevelInfo,
		"warn": slog.LevelWarn, "error": slog.LevelError}
	level, known := levels[strings.ToLower(text)]
	if !known {
		return level, fault.New(fault.Invalid, "want %s", levelAllowed)
	}
	return level, nil
}
