package notify

import "github.com/tidemark/tidemark/pkg/base/fault"

// ofFile refuses to change a rule or a channel that a file defines.
func ofFile(file, what, name string) error {
	return fault.New(fault.Conflict, "the %s %q is of the file %s (RULES_FILE): change it there", what, name, file)
}

// once leaves the first error of each field.
func once(errs []error) (out []error) {
	seen := map[string]bool{}
	for _, err := range errs {
		if field := fault.FieldOf(err); !seen[field] {
			seen[field] = true
			out = append(out, err)
		}
	}
	return out
}

// first returns the first of several joined errors, because an error of the API can have only one field.
func first(err error) error {
	if all, ok := err.(interface{ Unwrap() []error }); ok && len(all.Unwrap()) > 0 {
		return all.Unwrap()[0]
	}
	return err
}
