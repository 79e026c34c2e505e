package export

import (
	"net/url"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// settings are the signals that are exported. The SDK itself reads where and how to send them.
type settings struct{ traces, metrics bool }

const prefix = "OTEL_EXPORTER_OTLP_"

// read returns the signals to export. It refuses malformed addresses and headers, for which the SDK would only log an
// error, and unsupported protocols, which the SDK would ignore.
func read(getenv func(string) string) (settings, error) {
	for _, signal := range []string{"", "TRACES_", "METRICS_"} {
		if err := check(getenv, prefix+signal); err != nil {
			return settings{}, err
		}
	}
	set := func(signal string) bool {
		return getenv(prefix+"ENDPOINT") != "" || getenv(prefix+signal+"_ENDPOINT") != ""
	}
	return settings{traces: set("TRACES"), metrics: set("METRICS")}, nil
}

func check(getenv func(string) string, prefix string) error {
	if name, v := prefix+"PROTOCOL", getenv(prefix+"PROTOCOL"); v != "" && v != "http/protobuf" {
		return fault.New(fault.Invalid, "%s is %q: only http/protobuf is allowed", name, v)
	}
	if name, v := prefix+"ENDPOINT", getenv(prefix+"ENDPOINT"); v != "" && !isAddress(v) {
		return fault.New(fault.Invalid, "%s is %q: an address like https://collector.example:4318 is allowed", name, shown(v))
	}
	for pair := range strings.SplitSeq(getenv(prefix+"HEADERS"), ",") {
		if name, _, ok := strings.Cut(pair, "="); pair != "" && (!ok || strings.TrimSpace(name) == "") {
			return fault.New(fault.Invalid, "%sHEADERS (not shown): pairs like name=value,name=value are allowed", prefix)
		}
	}
	return nil
}

// isAddress reports whether the SDK can send to an address. It refuses an address with a user name or password,
// because the SDK would not send them. Credentials belong in the headers.
func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

// shown returns an address for display, with anything that could be a password removed.
func shown(text string) string {
	if i := strings.LastIndexByte(text, '@'); i >= 0 {
		return "…" + text[i:]
	}
	return text
}
