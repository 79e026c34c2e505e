package storage

import (
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// CheckTableName requires 3 to 63 ASCII letters and digits, with a letter first. Azure ignores case when it compares
// table names, and the adapters do so as well.
func CheckTableName(name string) error {
	ok := len(name) >= 3 && len(name) <= 63 && letter(name[0])
	for i := range len(name) {
		ok = ok && (letter(name[i]) || digit(name[i]))
	}
	if !ok || strings.EqualFold(name, "tables") {
		return fault.New(fault.Invalid, "table name %q is not 3 to 63 letters and digits", name)
	}
	return nil
}

// CheckQueueName requires 3 to 63 characters: lower-case letters, digits, and single hyphens between these.
func CheckQueueName(name string) error { return checkDashed("queue", name) }

// CheckContainerName applies the rule of [CheckQueueName].
func CheckContainerName(name string) error { return checkDashed("container", name) }

func checkDashed(what, name string) error {
	ok := len(name) >= 3 && len(name) <= 63 && !strings.Contains(name, "--") &&
		!strings.HasPrefix(name, "-") && !strings.HasSuffix(name, "-")
	for i := range len(name) {
		ok = ok && (lower(name[i]) || digit(name[i]) || name[i] == '-')
	}
	if !ok {
		return fault.New(fault.Invalid, "%s name %q is not 3 to 63 lower-case letters, digits and single hyphens", what, name)
	}
	return nil
}

// CheckBlobName requires text of 1 to maxBlobNameUnits units without control characters or backslashes. Segments
// between slashes must not be empty or end in a dot, because such names change in URLs.
func CheckBlobName(name string) error {
	if name == "" {
		return fault.New(fault.Invalid, "blob name is empty")
	}
	if strings.Contains(name, `\`) {
		return fault.New(fault.Invalid, "blob name contains a backslash")
	}
	for segment := range strings.SplitSeq(name, "/") {
		if segment == "" || strings.HasSuffix(segment, ".") {
			return fault.New(fault.Invalid, "blob name has an empty segment or one that ends in a dot")
		}
	}
	return checkText("blob name", name, maxBlobNameUnits)
}

// CheckBlob refuses a blob whose type or metadata cannot be stored. The size of the body is left to the adapters,
// which return TooLarge.
func CheckBlob(b Blob) error {
	if len(b.ContentType) > 256 || !printable(b.ContentType) {
		return fault.New(fault.Invalid, "content type is not printable ASCII of at most 256 bytes")
	}
	total := 0
	for key, value := range b.Metadata {
		if err := checkMetadata(key, value); err != nil {
			return err
		}
		total += len(key) + len(value)
	}
	if total > MaxMetadataBytes {
		return fault.New(fault.Invalid, "metadata takes more than %d bytes", MaxMetadataBytes)
	}
	return nil
}

// checkMetadata refuses values that begin or end with a space, because headers lose such spaces. It also refuses
// empty values, because some services drop them.
func checkMetadata(key, value string) error {
	ok := key != "" && !digit(key[0]) && key != TokenProperty
	for i := range len(key) {
		ok = ok && (lower(key[i]) || digit(key[i]) || key[i] == '_')
	}
	if !ok {
		return fault.New(fault.Invalid, "metadata key %q is not lower-case letters, digits and underscores", key)
	}
	if value == "" || !printable(value) || strings.TrimSpace(value) != value {
		return fault.New(fault.Invalid, "metadata %s is not trimmed printable ASCII", key)
	}
	return nil
}

// CheckQueueMessage refuses an empty message, a message of more than [MaxMessageBytes], and a delay outside 0 to
// [MaxDelay].
func CheckQueueMessage(body []byte, delay time.Duration) error {
	if len(body) == 0 || len(body) > MaxMessageBytes {
		return fault.New(fault.Invalid, "message of %d bytes, not 1 to %d", len(body), MaxMessageBytes)
	}
	return CheckVisibility(delay, 0)
}

// CheckReceive refuses a number of messages outside 1 to [MaxReceive], and a visibility outside 1 s to [MaxDelay].
func CheckReceive(max int, visibility time.Duration) error {
	if max < 1 || max > MaxReceive {
		return fault.New(fault.Invalid, "receive of %d messages, not 1 to %d", max, MaxReceive)
	}
	return CheckVisibility(visibility, time.Second)
}

// CheckVisibility refuses a time for hiding a message that is shorter than the given minimum or longer than
// [MaxDelay].
func CheckVisibility(d, least time.Duration) error {
	if d < least || d > MaxDelay {
		return fault.New(fault.Invalid, "message hidden for %v, not %v to %v", d, least, MaxDelay)
	}
	return nil
}

// WholeSeconds rounds a duration up to seconds, the unit of queues. So a message is hidden at least as long as
// requested.
func WholeSeconds(d time.Duration) int32 {
	return int32((d + time.Second - 1) / time.Second)
}
