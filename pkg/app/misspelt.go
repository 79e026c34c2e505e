package app

import (
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
)

// ours are the prefixes of variable names that only Tidemark uses. Other prefixes, such as OPENAI_, are also used by
// other programs: a name with such a prefix is reported only if it is almost the name of a setting.
var ours = []string{"REGISTRY_", "CRAWL_", "BACKFILL_", "SENTINEL_", "LIMIT_", "SNAPSHOT_", "EMAIL_IMPORT_",
	"EMBEDDINGS_", "EGRESS_", "T1_", "SEARCH_", "TIDEMARK_", "AZURITE_"}

// others are variables of Go or of other programs with names similar to those of settings.
var others = []string{"SSL_CERT_FILE", "SSL_CERT_DIR", "no_proxy"}

// Misspelt reports names that were probably meant as settings: names that are almost the name of a setting, and names
// with a prefix that only Tidemark uses. It adds the most similar setting, if there is one.
func Misspelt(set []string) (said []string) {
	for _, name := range set {
		if isSetting(name) || name == "" || slices.Contains(others, name) {
			continue
		}
		nearest, away := nearestSetting(name)
		own := slices.ContainsFunc(ours, func(prefix string) bool { return strings.HasPrefix(strings.ToUpper(name), prefix) })
		switch {
		case own && away <= 8 && 2*away < len(nearest), away <= 2 && len(name) >= 8:
			said = append(said, name+" is set, but there is no such setting; did you mean "+nearest+"?")
		case own:
			said = append(said, name+" is set, but there is no such setting")
		}
	}
	return said
}

// Unexported reports names that have no effect, because they are for a build with export by OpenTelemetry and this
// build has none.
func Unexported(set []string) (said []string) {
	for _, name := range set {
		if strings.HasPrefix(name, "OTEL_EXPORTER_OTLP_") && strings.HasSuffix(name, "ENDPOINT") {
			said = append(said, name+" is set, but this build sends nothing by OpenTelemetry; `make app OTEL=1` in the "+
				"source builds a handler that does")
		}
	}
	return said
}

// isSetting reports whether a name is a setting, or the secret that the local host sets for its handler.
func isSetting(name string) bool {
	return name == api.HostSecretVar || strings.HasPrefix(name, credential.Prefix) ||
		slices.ContainsFunc(Settings, func(s Setting) bool { return s.Name == name })
}

// nearestSetting returns the setting with the smallest edit distance from a name, and that distance. The case of
// letters does not count.
func nearestSetting(name string) (nearest string, away int) {
	upper := []rune(strings.ToUpper(name))
	away = len(name) + 100
	for _, s := range Settings {
		if n := words.Distance(upper, []rune(strings.ToUpper(s.Name)), away-1); n < away {
			nearest, away = s.Name, n
		}
	}
	return nearest, away
}
