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
		near := nearSetting(name)
		own := slices.ContainsFunc(ours, func(prefix string) bool { return strings.HasPrefix(strings.ToUpper(name), prefix) })
		switch {
		case near != "" && (own || len(name) >= 8 && editsTo(name, near) <= 2):
			said = append(said, name+" is set, but there is no such setting; did you mean "+near+"?")
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

// isSetting reports whether a name is a setting, or what the local host sets for its handler.
func isSetting(name string) bool {
	_, found := findSetting(name)
	return found || name == api.HostSecretVar || name == handedVar || strings.HasPrefix(name, credential.Prefix)
}

// WithoutSettings returns those of the variables, each NAME=VALUE, that are no settings of Tidemark, for a program of
// the user's that is to learn no key. Names that only Tidemark uses, and those of the storage, are left out, too: a
// misspelt one may have a secret as well.
func WithoutSettings(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		upper := strings.ToUpper(name) // on Windows, case does not count
		known := slices.ContainsFunc(Settings, func(s Setting) bool { return strings.EqualFold(s.Name, name) })
		return known || upper == api.HostSecretVar || slices.ContainsFunc(append([]string{credential.Prefix,
			"AZUREWEBJOBSSTORAGE"}, ours...), func(prefix string) bool { return strings.HasPrefix(upper, prefix) })
	})
}

// nearSetting returns the setting that a name was probably meant to be: one that differs in a few letters or has all
// words of the name. It returns "" if no setting is near.
func nearSetting(name string) (near string) {
	least := 1 << 20
	for _, s := range Settings {
		n := editsTo(name, s.Name)
		if n < least && (n <= min(3, len(name)/4) || hasWords(s.Name, name)) {
			near, least = s.Name, n
		}
	}
	return near
}

// editsTo returns how many letters differ between two names. The case of letters does not count.
func editsTo(name, setting string) int {
	return words.Distance([]rune(strings.ToUpper(name)), []rune(strings.ToUpper(setting)), 1<<20)
}

// hasWords reports whether the name of a setting has all words of another name, which are two at least.
func hasWords(setting, name string) bool {
	has, wanted := strings.Split(setting, "_"), strings.Split(strings.ToUpper(name), "_")
	return len(wanted) > 1 && !slices.ContainsFunc(wanted, func(word string) bool { return !slices.Contains(has, word) })
}
