package openapitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Step is a request of a recorded conversation, and its answer.
type Step struct {
	Name         string
	Method, Path string // the path with its query
	Request      string
	Status       int
	Answer       json.RawMessage // text in quotes when it is not JSON

	values map[string]string // parameters of the path and the query
}

// conversations are the steps of all recorded conversations.
type conversations []Step

// readConversations reads the golden files of a folder.
func readConversations(dir string) (conversations, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.golden"))
	if err != nil {
		return nil, err
	}
	var all conversations
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, section := range strings.Split("\n"+string(b), "\n=== ")[1:] {
			step, said, err := readStep(section)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", file, step.Name, err)
			}
			if said {
				all = append(all, step)
			}
		}
	}
	return all, nil
}

// readStep reads a name, a request, its body, a status and the answer. A section that is not a request has only a
// name.
func readStep(section string) (s Step, said bool, err error) {
	parts := strings.SplitN(section, "\n", 5)
	s.Name = parts[0]
	if len(parts) < 5 {
		return s, false, nil
	}
	s.Method, s.Path, _ = strings.Cut(parts[1], " ")
	s.Request = parts[2]
	status, _, _ := strings.Cut(parts[3], " ")
	if s.Status, err = strconv.Atoi(status); err != nil {
		return s, false, err
	}
	s.Answer, err = compact(sound(strings.TrimSpace(parts[4])))
	return s, true, err
}

// compact returns a body on one line, or as a JSON string when it is not JSON.
func compact(body string) (json.RawMessage, error) {
	if !json.Valid([]byte(body)) {
		return json.Marshal(body)
	}
	var buf bytes.Buffer
	err := json.Compact(&buf, []byte(body))
	return buf.Bytes(), err
}

// unpromised replaces the placeholders of values that differ in each recording by example values.
var unpromised = strings.NewReplacer(
	`"asOf": "…"`, `"asOf": "2026-03-01T12:00:00Z"`,
	`"score": "…"`, `"score": 2.5`,
	`"chunkUid": "…"`, `"chunkUid": "ck64:v1:6f0d3c9a1b2e4857:0"`,
)

func sound(body string) string { return unpromised.Replace(body) }

// find returns the step with a name, with the parameters that its path has in the pattern of the route. An empty
// route matches every path.
func (c conversations) find(route, name string) (Step, error) {
	var found []Step
	for _, s := range c {
		if s.Name == name {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		return Step{}, fmt.Errorf("%d recorded steps are called %q, want one", len(found), name)
	}
	s := found[0]
	if route == "" {
		return s, nil
	}
	method, pattern, _ := strings.Cut(route, " ")
	var fits bool
	if s.values, fits = match("/api/"+pattern, s.Path); !fits || s.Method != method {
		return Step{}, fmt.Errorf("the step %q is a %s of %s", name, s.Method, s.Path)
	}
	return s, nil
}

var placeholder = regexp.MustCompile(`\\\{([a-z0-9_]+)\\\}`)

// match reads the parameters of a path with a query by a pattern such as /api/items/{id}.
func match(pattern, path string) (values map[string]string, fits bool) {
	u, err := url.Parse(path)
	if err != nil {
		return nil, false
	}
	re := regexp.MustCompile("^" + placeholder.ReplaceAllString(regexp.QuoteMeta(pattern), "(?P<$1>[^/]+)") + "$")
	m := re.FindStringSubmatch(u.Path)
	if m == nil {
		return nil, false
	}
	values = map[string]string{}
	for i, name := range re.SubexpNames()[1:] {
		values[name] = m[i+1]
	}
	for name, v := range u.Query() {
		values[name] = v[0]
	}
	return values, true
}
