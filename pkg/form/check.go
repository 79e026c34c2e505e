package form

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/wallclock"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// Check reports what is wrong with the settings that a value has, apart from what several of them must be together:
// their formats, choices, bounds and numbers. Each error is Invalid and names its setting; there is one for a setting.
func Check(v any) (errs []error) {
	src := reflect.ValueOf(v)
	for _, f := range of(src.Type()).Fields {
		if value := f.in(src); value.IsValid() && !isEmpty(value) {
			if why := f.check(value); why != "" {
				errs = append(errs, fault.Field(f.Path, "%s %s", f.Path, why))
			}
		}
	}
	return errs
}

// check says what is wrong with a value, behind the name of the setting; "" if nothing is.
func (f Field) check(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		return f.check(v.Elem())
	case reflect.Int:
		if n := int(v.Int()); f.Max != 0 && (n < f.Min || n > f.Max) {
			return fmt.Sprintf("must be from %d to %d, not %d", f.Min, f.Max, n)
		}
	case reflect.Float64:
		if n := v.Float(); f.Format == asShare && !(n >= 0 && n <= 1) {
			return fmt.Sprintf("must be from 0 to 1 (100%%), not %g", n)
		}
	case reflect.Slice, reflect.Map:
		if n := v.Len(); f.Most > 0 && n > f.Most {
			return fmt.Sprintf("has %d entries; at most %d are allowed", n, f.Most)
		}
		for i := range v.Len() {
			if v.Kind() == reflect.Map {
				break
			}
			if why := f.checkText(v.Index(i).String()); why != "" {
				return why
			}
		}
	case reflect.String:
		return f.checkText(v.String())
	}
	return ""
}

// The formats of a text of several values, separated by commas; of a share from 0 to 1, which forms show in percent;
// and of a text of several lines.
const (
	asList  = "list"
	asShare = "share"
	asLines = "lines"
)

// Wrong says what is wrong with a value, behind the name of the setting; "" if nothing is.
func (f Field) Wrong(value any) string { return f.check(reflect.ValueOf(value)) }

func (f Field) checkText(text string) string {
	if len(f.Choices) > 0 && (f.Format == "" || f.Format == asList) {
		for _, one := range f.several(text) {
			if !f.allows(one) {
				return fmt.Sprintf("must be %s, not %.40q", f.values(), one)
			}
		}
	}
	if check := formats[f.Format]; check != nil {
		return check(text)
	}
	return ""
}

// several returns the values of a text: one, unless it is a list.
func (f Field) several(text string) []string {
	if f.Format != asList {
		return []string{text}
	}
	return words.Parts(text, ",")
}

func (f Field) allows(value string) bool {
	return slices.ContainsFunc(f.Choices, func(c Choice) bool { return c.Value == value })
}

// formats are the forms of texts. Each function says what is wrong with a text, behind the name of the setting.
var formats = map[string]func(text string) string{
	"length": func(text string) string {
		_, why := length(text)
		return why
	},
	"zone": func(text string) string {
		if _, err := wallclock.Zone(text); err != nil {
			return fmt.Sprintf("must be the IANA name of a time zone, as Europe/Paris, not %.60q", text)
		}
		return ""
	},
	"clock": func(text string) string {
		if _, err := wallclock.Parse(text); err != nil {
			return fmt.Sprintf("must be a time of day such as 07:30, not %.40q", text)
		}
		return ""
	},
	"rule": func(text string) string {
		switch n := utf8.RuneCountInString(text); {
		case strings.TrimSpace(text) == "":
			return "has an empty rule: leave it out"
		case n > maxRule:
			return fmt.Sprintf("has an entry of %d characters; at most %d are allowed", n, maxRule)
		}
		return ""
	},
	"size": func(text string) string {
		w, h := Size(text)
		if min(w, h) < leastSide || max(w, h) > mostSide {
			return fmt.Sprintf("must be like 1280x1024, each side %d to %d pixels, not %.20q", leastSide, mostSide, text)
		}
		return ""
	},
	"languages": func(text string) string {
		if !languages.MatchString(text) {
			return fmt.Sprintf("must be like de or de-DE,de, not %.40q", text)
		}
		return ""
	},
	"host": func(text string) string {
		if text == "" || len(text) > maxHost || strings.ContainsAny(text, "/@?#*") ||
			strings.ContainsFunc(text, unicode.IsSpace) {
			return fmt.Sprintf("has names of hosts such as api.example.org, not %.60q", text)
		}
		return ""
	},
}

const (
	maxRule             = 500 // characters
	maxHost             = 260 // bytes, with a port
	leastSide, mostSide = 100, 4000
	// The bounds of times between checks. They do not limit the load on a host, which has limits of its own.
	leastLength   = time.Minute
	longestLength = 3650 * 24 * time.Hour
)

var languages = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*(,[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*){0,5}$`)

// Size reads a width and a height, such as 1280x1024; zero if it is not in that form.
func Size(text string) (width, height int) {
	if n, err := fmt.Sscanf(text, "%dx%d", &width, &height); n != 2 || err != nil ||
		fmt.Sprintf("%dx%d", width, height) != text {
		return 0, 0
	}
	return width, height
}

// Length reads a time between checks: 90s, 15m, 1h30m, 7d, 2w. Errors: Invalid, which names the setting.
func Length(setting, text string) (time.Duration, error) {
	d, why := length(text)
	if why != "" {
		return 0, fault.Field(setting, "%s %s", setting, why)
	}
	return d, nil
}

var (
	lengthText = regexp.MustCompile(`^(\d{1,6}(s|m|h|d|w))+$`)
	lengthPart = regexp.MustCompile(`(\d+)([smhdw])`)
	units      = map[string]time.Duration{
		"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour,
	}
)

func length(text string) (d time.Duration, why string) {
	text = strings.ToLower(strings.ReplaceAll(text, " ", ""))
	if len(text) > 40 || !lengthText.MatchString(text) {
		return 0, fmt.Sprintf("must be a time such as 15m, 1h30m, 7d or 2w, not %.40q", text)
	}
	for _, part := range lengthPart.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(part[1]) // Unreachable: at most six digits
		d += time.Duration(n) * units[part[2]]
	}
	if d < leastLength || d > longestLength {
		return 0, fmt.Sprintf("is %.40q; allowed are 1m to 3650d", text)
	}
	return d, ""
}
