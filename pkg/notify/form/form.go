// Package form has, for each service, the fields that people fill in to be notified by it. From filled-in fields it
// makes the address that package send understands.
//
// A field is known by its name in the API. A secret field is stored encrypted, and is never shown again. The
// destination of a form is where its secrets are sent: host and port. It tells whether a stored secret may still be
// used after other fields have changed.
package form

import (
	"cmp"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/notify/send"
)

// Values are the filled-in fields, by their names.
type Values map[string]string

// Choice is a value that a field may have.
type Choice struct {
	Value, Text string
	Port        string // the port that goes with this choice, for a field about encryption
}

// Field is a field of a form.
type Field struct {
	Name, Label string
	Help        string // what to write, or where to find it
	Example     string
	Default     string // counts while the field is empty
	Secret      bool
	Optional    bool
	Several     bool   // several values, separated by commas or lines
	Rare        bool   // most people do not need it
	Input       string // kind of input, as HTML calls it: number, email, url; text when empty
	Choices     []Choice
}

// Service is a service with its form.
type Service struct {
	Kind, Label string // such as smtp, E-mail
	Help        string // what a person does at the service before filling in the form
	Fields      []Field
	// address makes the address of filled-in fields, without spaces around them and with defaults. What it says of a
	// field that is wrong already does not count.
	address func(v Values, say report) string
	// destination is where secrets are sent: a URL, or host and port. It is empty if that cannot be known.
	destination func(v Values) []string
}

// report says what is wrong with a field.
type report func(field, format string, args ...any)

const (
	maxValue = 2000 // bytes of a value
	// Prefix is the beginning of the names of fields in errors.
	Prefix = "fields."
)

// Kinds returns the kinds of all services.
func Kinds() (out []string) {
	for _, s := range Services() {
		out = append(out, s.Kind)
	}
	return out
}

// Of returns the service of a kind.
func Of(kind string) (Service, bool) {
	all := Services()
	i := slices.IndexFunc(all, func(s Service) bool { return s.Kind == kind })
	if i < 0 {
		return Service{}, false
	}
	return all[i], true
}

// Field returns the field with a name.
func (s Service) Field(name string) (Field, bool) {
	i := slices.IndexFunc(s.Fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, false
	}
	return s.Fields[i], true
}

// Where returns the name of the field that has the destination, or of the first field.
func (s Service) Where() string {
	for _, name := range []string{"host", "server", "webhook"} {
		if _, ok := s.Field(name); ok {
			return name
		}
	}
	return s.Fields[0].Name
}

// Secrets returns the names of the secret fields.
func (s Service) Secrets() (out []string) {
	for _, f := range s.Fields {
		if f.Secret {
			out = append(out, f.Name)
		}
	}
	return out
}

// Address returns the address of a form, or all that is wrong with it: errors whose fields have the names of the form's
// fields, with [Prefix]. Each field has one error. Errors do not repeat secrets.
func (s Service) Address(v Values) (address string, errs []error) {
	wrong := map[string]bool{}
	say := func(field, format string, args ...any) {
		if !wrong[field] {
			errs = append(errs, fault.Field(Prefix+field, format, args...))
		}
		wrong[field] = true
	}
	for name := range v {
		if _, ok := s.Field(name); !ok {
			say(name, "%s has no field %.40q: its fields are %s", s.Label, name, strings.Join(s.names(), ", "))
		}
	}
	filled := s.filled(v)
	for _, f := range s.Fields {
		f.check(filled[f.Name], say)
	}
	if address = s.address(filled, say); len(errs) > 0 {
		return "", errs
	}
	if _, _, err := send.Check(address); err != nil {
		say(s.Fields[0].Name, "%s: %w", s.Label, err)
		return "", errs
	}
	return address, nil
}

func (s Service) names() (out []string) {
	for _, f := range s.Fields {
		out = append(out, f.Name)
	}
	return out
}

// filled returns values without spaces around them, and with defaults.
func (s Service) filled(v Values) Values {
	out := Values{}
	for _, f := range s.Fields {
		if text := cmp.Or(strings.TrimSpace(v[f.Name]), f.Default); text != "" {
			out[f.Name] = text
		}
	}
	return out
}

// check reports what is wrong with a value by itself.
func (f Field) check(value string, say report) {
	named := func(c Choice) bool { return c.Value == value }
	switch {
	case value == "" && !f.Optional:
		say(f.Name, "%s is missing", f.Label)
	case len(value) > maxValue:
		say(f.Name, "%s is too long: at most %d bytes", f.Label, maxValue)
	case !f.Several && strings.ContainsAny(value, "\r\n"):
		say(f.Name, "%s must be one line", f.Label)
	case value != "" && f.Choices != nil && !slices.ContainsFunc(f.Choices, named):
		all := make([]string, len(f.Choices))
		for i, c := range f.Choices {
			all[i] = cmp.Or(c.Value, "nothing")
		}
		say(f.Name, "%s must be %s", f.Label, strings.Join(all, " or "))
	}
}

// Destination returns where the secrets of a form are sent: host and port, several separated by a space. It is empty if
// that cannot be known.
func (s Service) Destination(v Values) string {
	var out []string
	for _, to := range s.destination(s.filled(v)) {
		if strings.Contains(to, "://") {
			to = HostAndPort(to)
		}
		if to == "" {
			return ""
		}
		out = append(out, strings.ToLower(to))
	}
	return strings.Join(out, " ")
}

// HostAndPort returns the host and the port of a URL; "" if it has none.
func HostAndPort(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80"}[u.Scheme], "443")
	return net.JoinHostPort(strings.TrimSuffix(u.Hostname(), "."), port)
}

// Encrypted reports whether the connection to the destination is encrypted.
func (s Service) Encrypted(v Values) bool {
	filled := s.filled(v)
	for _, f := range s.Fields {
		value := filled[f.Name]
		web := f.Input == "url" && strings.HasPrefix(strings.ToLower(value), "http://")
		if web || f.Name == "encryption" && value == bare {
			return false
		}
	}
	return true
}

// fixed is the destination of a service that is in one place.
func fixed(host string) func(Values) []string {
	return func(Values) []string { return []string{host + ":443"} }
}

// inField is the destination of a form one of whose fields has a URL.
func inField(name string) func(Values) []string {
	return func(v Values) []string { return []string{withScheme(v[name])} }
}

// withScheme adds https:// to an address without a scheme.
func withScheme(address string) string {
	if address == "" || strings.Contains(address, "://") {
		return address
	}
	return "https://" + address
}

// web parses an address that somebody typed, https:// if it has no scheme. Errors do not repeat it.
func web(f, label, text string, say report) *url.URL {
	u, err := url.Parse(withScheme(text))
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || u.Opaque != "":
		say(f, "%s must be an address such as https://chat.example", label)
	case u.User != nil:
		say(f, "%s must be without user and password", label)
	case u.Fragment != "":
		say(f, "%s must be without #", label)
	default:
		return u
	}
	return nil
}

// server parses the address of a server. What is below it must be empty unless deep.
func server(label, text string, deep bool, say report) *url.URL {
	u := web("server", label, text, say)
	if u == nil {
		return nil
	}
	if u.RawQuery != "" || !deep && strings.Trim(u.Path, "/") != "" {
		say("server", "%s must be the address of the server alone, such as https://%s", label, u.Host)
		return nil
	}
	return u
}

// hook parses the secret address of a webhook.
func hook(text string, say report) *url.URL {
	u := web("webhook", "The address", text, say)
	if u != nil && u.Scheme != "https" && u.Path == "" {
		say("webhook", "The address must be the whole address of the webhook")
		return nil
	}
	return u
}

// address returns an address that package send understands.
func address(scheme string, u *url.URL, user *url.Userinfo, query url.Values, path ...string) string {
	out := url.URL{Scheme: scheme, User: user, Host: u.Host, Path: "/" + strings.Join(path, "/")}
	if u.Scheme == "http" {
		query = maps.Clone(query)
		if query == nil {
			query = url.Values{}
		}
		query.Set("disabletls", "yes")
	}
	out.RawQuery = query.Encode()
	return out.String()
}

// listed returns the values of a field with several, separated by commas, semicolons or lines.
func listed(text string) string {
	return strings.Join(words.Parts(text, ",;\n\r"), ",")
}
