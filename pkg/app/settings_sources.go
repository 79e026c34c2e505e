package app

import (
	"cmp"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Sources give the settings of a process: those of its environment, and of the settings file where the environment has
// none. A variable that is empty counts as unset.
type Sources struct {
	Path    string // the settings file, which may be missing
	Err     error  // says why the settings file cannot be used; then only its lines without mistakes are here
	environ []string
	getenv  func(string) string
	file    map[string]string
	// given are the variables that a person has set, if another process has added some.
	given []string
}

// handedVar is the variable in which a server gives its handler the settings of its file. So both have the same, also
// where the file has changed and only the handler starts again.
const handedVar = "TIDEMARK_HANDED_SETTINGS"

// handed is the value of handedVar, as JSON.
type handed struct {
	Path  string
	File  map[string]string
	Given []string
}

// ReadSources reads the settings file: the one that TIDEMARK_CONFIG names, or else the one in the data folder, which
// is TIDEMARK_DATA if data is empty. The environment has the form of [os.Environ].
func ReadSources(getenv func(string) string, environ []string, data string) *Sources {
	s := &Sources{getenv: getenv, environ: Names(environ)}
	if text := getenv(handedVar); text != "" {
		var h handed
		s.Err = json.Unmarshal([]byte(text), &h)
		s.Path, s.file, s.given = h.Path, h.File, h.Given
		return s
	}
	path := getenv(configSetting)
	named := path != ""
	path = cmp.Or(path, filepath.Join(cmp.Or(data, getenv("TIDEMARK_DATA"), defaultData), ConfigFile))
	s.Path = path
	if full, err := filepath.Abs(path); err == nil {
		s.Path = full
	}
	file, err := readConfig(path, named)
	if s.Err = err; file != nil {
		s.file = file.values()
	}
	return s
}

// Get returns the value of a setting, or "".
func (s *Sources) Get(name string) string {
	return cmp.Or(s.getenv(name), s.file[name])
}

// Names returns the names of all settings and other variables that are set.
func (s *Sources) Names() []string {
	names := slices.Clone(s.environ)
	for name := range s.file {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Handed returns the variable, as NAME=value, that gives a handler these settings.
func (s *Sources) Handed() string {
	h := handed{Path: s.Path, File: s.file, Given: []string{}}
	for _, one := range Settings {
		if s.getenv(one.Name) != "" {
			h.Given = append(h.Given, one.Name)
		}
	}
	text, _ := json.Marshal(h) // strings always encode
	return handedVar + "=" + string(text)
}

// inEnvironment reports whether a person has set a setting in the environment.
func (s *Sources) inEnvironment(name string) bool {
	return s.getenv(name) != "" && (s.given == nil || slices.Contains(s.given, name))
}

// from says where the value of a setting comes from: environment, file or default.
func (s *Sources) from(name string) string {
	switch {
	case s.inEnvironment(name):
		return "environment"
	case s.file[name] != "":
		return "file"
	}
	return "default"
}

// A Change is another value of a setting in the settings file, which is not written yet.
type Change struct {
	*Sources // with the change
	file     *configFile
}

// Change returns the settings with another value in the file; "" takes the setting out of the file. It writes nothing:
// the caller checks the settings and calls [Change.Save]. Errors: Invalid for a name that the file cannot have;
// Conflict for what is set in the environment, which wins.
func (s *Sources) Change(name, value string) (*Change, error) {
	return s.change(map[string]string{name: value})
}

// change is [Sources.Change] of several settings.
func (s *Sources) change(values map[string]string) (*Change, error) {
	names := slices.Sorted(maps.Keys(values))
	for _, name := range names {
		if err := CheckName(name); err != nil {
			return nil, fault.Field(name, "%w", err)
		}
		if s.inEnvironment(name) {
			return nil, fault.New(fault.Conflict, "%s is set in the environment, which wins over the file: change it there",
				name)
		}
	}
	file, err := readConfig(s.Path, false)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if file, err = file.with(name, values[name]); err != nil {
			return nil, fault.Field(name, "%w", err)
		}
	}
	next := &Sources{Path: s.Path, environ: s.environ, getenv: s.getenv, given: s.given, file: file.values()}
	return &Change{next, file}, nil
}

// Save writes the file. The data folder must exist.
func (c *Change) Save() error { return c.file.save() }

// Shown returns all settings, without the values of secrets. Of credentials, whose names people choose, it returns
// those that are set.
func (s *Sources) Shown() (all []api.ServerSetting) {
	for _, one := range Settings {
		names := []string{one.Name}
		if prefix, _, chosen := strings.Cut(one.Name, "<"); chosen {
			names = slices.DeleteFunc(s.Names(), func(name string) bool { return !strings.HasPrefix(name, prefix) })
		}
		for _, name := range names {
			value := s.Get(name)
			if value != "" && one.isSecret() {
				value = "set"
			}
			all = append(all, api.ServerSetting{Name: name, Value: cmp.Or(value, one.Default), From: s.from(name),
				Allowed: one.allowed, Restart: !slices.Contains(live, name), Secret: one.isSecret()})
		}
	}
	return all
}
