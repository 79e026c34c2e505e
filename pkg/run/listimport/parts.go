package listimport

import (
	"encoding/json"
	"math"
	"strings"
)

// Parts splits a list that is too long for one import into lists of JSON Lines. Each has at most [MaxAddresses]
// addresses, and about the given number of bytes. Parts also returns the addresses and the lines that are refused. Its
// errors are those of parse.
func Parts(text []byte, format Format, most int) (parts []string, refused []Address, err error) {
	l := &list{seen: map[string]bool{}, most: math.MaxInt}
	if err := l.parse(text, format); err != nil {
		return nil, nil, err
	}
	var b strings.Builder
	n := 0
	for _, a := range l.all {
		if a.Why != "" {
			refused = append(refused, a)
			continue
		}
		if b.Len() > most || n == MaxAddresses/2 {
			parts, n = append(parts, b.String()), 0
			b.Reset()
		}
		line, err := json.Marshal(map[string]any{"url": a.URL, "tags": a.Tags})
		if err != nil {
			return nil, nil, err // Unreachable: texts can be encoded.
		}
		b.Write(line)
		b.WriteByte('\n')
		n++
	}
	if n > 0 {
		parts = append(parts, b.String())
	}
	return parts, refused, nil
}

// Unicode returns a list in UTF-8, whatever its encoding.
func Unicode(text []byte) string { return string(unicodeOf(text)) }
