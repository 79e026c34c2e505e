package site

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Bounds on a site file.
const (
	maxBytes      = 1 << 20 // bytes of the file
	MaxSites      = 1000
	maxEntries    = 1000   // entries of one list
	maxDelay      = 300000 // in milliseconds; also the longest Crawl-delay that is obeyed
	maxConcurrent = 16
	MaxRequests   = 1_000_000_000         // requests per host and day; also the most items of a host
	MaxQuota      = 1_000_000_000_000_000 // bytes per host and day
	maxPattern    = 1000                  // bytes of a pattern or selector
	maxProgram    = 2 * maxPattern        // size of a pattern; one without repetitions of a given number is smaller
)

// Parse parses a site file. In errors, the file has the given name. Errors: Invalid, with up to 50 mistakes, one per
// line, as "name:line: field: what is wrong and what is allowed".
func Parse(name string, data []byte) (*Sites, error) {
	r := &reader{name: name}
	if len(data) > maxBytes {
		r.badLine(0, "", "%d bytes; at most %d are allowed", len(data), maxBytes)
		return nil, r.err()
	}
	var sites Sites
	if root := r.document(data); root != nil {
		sites.all = r.sites(root)
		sites.limits = r.limitsByDomain(sites.all)
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return &sites, nil
}

// document returns the single document of a file, or nil if the file is empty or broken.
func (r *reader) document(data []byte) *yaml.Node {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if !errors.Is(err, io.EOF) {
			r.syntax(err)
		}
		return nil
	}
	switch err := dec.Decode(&second); {
	case errors.Is(err, io.EOF):
	case err != nil:
		r.syntax(err)
		return nil
	default:
		r.badLine(second.Line, "", "a second document; write all sites into the first")
	}
	return doc.Content[0]
}

var syntaxError = regexp.MustCompile(`^yaml: (?:line (\d+): )?((?s).*)$`)

// syntax reports text that is not YAML. The line is in the message of the library, whose parser counts lines from 0
// and whose scanner counts them from 1.
func (r *reader) syntax(err error) {
	m := syntaxError.FindStringSubmatch(err.Error())
	if m == nil { // Unreachable: all messages of the library begin like this.
		m = []string{"", "", err.Error()}
	}
	line, _ := strconv.Atoi(m[1])
	if line > 0 && strings.HasPrefix(m[2], "did not find") {
		line++
	}
	r.badLine(line, "", "not YAML: %s", m[2])
}

// sites reads the whole file.
func (r *reader) sites(root *yaml.Node) (all []*Site) {
	r.fields(node{root, ""}, fieldReaders{
		"sites": func(n node) { r.list(n, MaxSites, func(n node) { all = append(all, r.site(n)) }) },
	}, "sites")
	first := map[string]int{}
	for _, s := range all {
		if line, known := first[s.Slug]; known && s.Slug != "" {
			r.badLine(s.line, "slug", "%q is the slug of the site in line %d; slugs are unique", s.Slug, line)
		} else {
			first[s.Slug] = s.line
		}
	}
	return all
}

// limitsByDomain collects the limits. Sites may share a domain, but a domain has only one pace.
func (r *reader) limitsByDomain(all []*Site) map[string]Limits {
	limits := map[string]Limits{}
	for _, s := range all {
		if s.Limits == nil {
			continue
		}
		if l, known := limits[s.Domain]; known && l != *s.Limits {
			r.badLine(s.line, "limits", "another site of %s has other limits; a domain has one pace: "+
				"write the same, or in one place", s.Domain)
		}
		limits[s.Domain] = *s.Limits
	}
	return limits
}
