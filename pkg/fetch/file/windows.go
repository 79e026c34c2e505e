package file

import (
	"slices"
	"strings"
)

// parseWindows reads a path with a drive. On Windows, some names that look like paths open something other than a
// file, or a file with another name. Such names are refused on every machine ("Naming Files, Paths, and Namespaces",
// Microsoft).
func parseWindows(raw string) (Location, error) {
	parts, err := segments(strings.ReplaceAll(raw[2:], `\`, "/"))
	if err != nil {
		return Location{}, err
	}
	if len(parts) == 0 {
		return Location{}, invalid("the path names a drive")
	}
	for _, s := range parts {
		switch {
		case strings.ContainsAny(s, `<>:"|?*`):
			return Location{}, invalid(`the path holds one of < > : " | ? *, which no name in Windows has`)
		case strings.HasSuffix(s, ".") || strings.HasSuffix(s, " "):
			return Location{}, invalid("a segment of the path ends in a dot or a space, which Windows passes over")
		case isDevice(s):
			return Location{}, invalid("the path names a device")
		}
	}
	return Location{kind: Local, windows: true, name: strings.ToUpper(raw[:1]) + ":/" + strings.Join(parts, "/")}, nil
}

// isDevice reports whether a name is a device in every folder, whatever its extension.
func isDevice(segment string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(strings.ToLower(segment)), ".")
	base = strings.TrimRight(base, " ")
	if slices.Contains([]string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"}, base) {
		return true
	}
	number, ok := strings.CutPrefix(base, "COM")
	if !ok {
		number, ok = strings.CutPrefix(base, "LPT")
	}
	return ok && slices.Contains([]string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"}, number)
}
