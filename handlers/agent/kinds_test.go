package agent

import (
	"reflect"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestJ7EveryKindIsNamed checks that the description of changes_since names every kind of change (J7).
func TestJ7EveryKindIsNamed(t *testing.T) {
	field, _ := reflect.TypeFor[changesInput]().FieldByName("Kind")
	said := strings.FieldsFunc(field.Tag.Get("jsonschema"), func(r rune) bool { return strings.ContainsRune(" ,:", r) })
	named := map[string]bool{}
	for _, word := range said {
		named[word] = true
	}
	for _, kind := range api.ChangeKinds {
		if !named[string(kind)] {
			t.Errorf("%s is not named", kind)
		}
	}
}
