package app

import (
	"slices"
	"strings"
)

// plain are the beginnings of the names of settings whose values anybody with a function key may see.
var plain = []string{
	"RULES_FILE", "WEBHOOK_ALLOW_HOSTS",
	"BACKFILL_", "CHANGES_KEEP_DAYS", "CRAWL_", "LIMIT_", "MEMORY_LIMIT_MB", "SENTINEL_", "SNAPSHOT_", "REGISTRY_",
	"TRACKING_PARAM_PREFIXES", "FORCE_REINDEX_", "EMBEDDINGS_MODEL", "T1_", "SEARCH_INDEX", "SEARCH_VECTOR_",
	"SEARCH_SEMANTIC",
	"FILE_ROOT", "EMAIL_IMPORT_", "TIDEMARK_DATA", "STORAGE", "API_KEYS_REQUIRED",
}

// elsewhere are the settings that only the command line reads.
var elsewhere = []string{"PORT", "LISTEN", "TLS_CERT_FILE", "TLS_KEY_FILE", "TRUSTED_PROXIES", "AZURITE_PORT_BASE",
	"TIDEMARK_SERVER", "TIDEMARK_KEY", "NO_COLOR", "PAGER"}

// Shown are the settings with their values, or defaults, as GET config shows them. Of what may hold a
// secret, and of all that this list does not know, it is only told that it is set.
func Shown(get func(string) string) map[string]string {
	out := map[string]string{}
	for _, s := range Settings {
		if strings.Contains(s.Name, "<") || slices.Contains(elsewhere, s.Name) {
			continue // the first are named by users, and the names alone tell what there is
		}
		value := get(s.Name)
		switch {
		case value == "" && s.Default != "":
			out[s.Name] = s.Default
		case value != "" && shows(s.Name):
			out[s.Name] = value
		case value != "":
			out[s.Name] = "(set)"
		}
	}
	return out
}

func shows(name string) bool {
	for _, p := range plain {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
