package storage

import (
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// The limits of the port. They are those of Azure Storage, minus the needs of the port itself.
const (
	// MaxKeyUnits limits the length of each part of a key, in UTF-16 code units.
	MaxKeyUnits = 512
	// MaxOps limits the number of operations in a transaction.
	MaxOps = 100
	// MaxProperties limits the number of columns in an entity: Azure's 252 minus [TokenProperty].
	MaxProperties = 251
	// maxNameBytes limits the length of a column's name.
	maxNameBytes = 255
	// MaxStringUnits limits the length of a string column, in UTF-16 code units.
	MaxStringUnits = 32 << 10
	// MaxBinaryBytes limits the size of a []byte column.
	MaxBinaryBytes = 64 << 10
	// MaxEntityBytes limits two sizes of an entity: the size that Azure measures, and the size that is sent; see
	// [EntitySize] and [JSONSize].
	MaxEntityBytes = 1 << 20
	// maxTransactionBytes limits the size of a transaction as it is sent. The size is estimated, and the estimate is
	// never too small.
	maxTransactionBytes = 4 << 20
	// MaxPage limits the number of rows in the answer to one request of a query.
	MaxPage = 1000
	// MaxMessageBytes limits the size of a queue message's body. In base64, such a body has 64 KiB.
	MaxMessageBytes = 48 << 10
	// MaxReceive limits the number of messages that one Receive returns.
	MaxReceive = 32
	// MaxDelay limits the time for which a message may be hidden.
	MaxDelay = 7 * 24 * time.Hour
	// MaxBlobBytes limits the size of a blob, unless an adapter has another setting.
	MaxBlobBytes = 64 << 20
	// maxBlobNameUnits limits the length of a blob's name, in UTF-16 code units.
	maxBlobNameUnits = 1024
	// MaxMetadataBytes limits the total size of the names and values in a blob's metadata.
	MaxMetadataBytes = 8 << 10
)

// TokenProperty is a column that callers must not use. An adapter that retries stores a token of each write in this
// column, and hides the column from readers. If an answer was lost, the token shows the adapter that the write was
// its own.
const TokenProperty = "wtok"

// DefaultContentType is the type of a blob that is written without a type.
const DefaultContentType = "application/octet-stream"

// maxETagBytes limits the length of an ETag. It is far more than any adapter needs.
const maxETagBytes = 256

// opOverhead is the size that one operation adds to a transaction, apart from its entity and keys: the boundary, the
// request line and the headers.
const opOverhead = 1 << 10

// CheckKey refuses a key that Azure Tables would refuse. It also refuses empty parts, because Azure's SDK cannot
// address them.
func CheckKey(k Key) error {
	if err := checkKeyPart("partition key", k.Partition); err != nil {
		return err
	}
	return checkKeyPart("row key", k.Row)
}

func checkKeyPart(what, s string) error {
	if s == "" {
		return fault.New(fault.Invalid, "%s is empty", what)
	}
	if i := strings.IndexAny(s, `/\#?`); i >= 0 {
		return fault.New(fault.Invalid, "%s contains %q", what, s[i])
	}
	return checkText(what, s, MaxKeyUnits)
}

// checkText refuses invalid UTF-8, control characters, and texts of more than max UTF-16 units.
func checkText(what, s string, max int) error {
	if len(s) > 3*max || len(s) > max && units(s) > max {
		return fault.New(fault.Invalid, "%s is longer than %d UTF-16 units", what, max)
	}
	for _, r := range s {
		if r < 0x20 || r >= 0x7f && r <= 0x9f {
			return fault.New(fault.Invalid, "%s contains the control character %U", what, r)
		}
	}
	if !utf8.ValidString(s) {
		return fault.New(fault.Invalid, "%s is not valid UTF-8", what)
	}
	return nil
}

// units counts UTF-16 code units.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// CheckQuery refuses an invalid query: one with a bound or a condition that is not valid text, with a bad page size
// or column name, or with both a partition and a range of partitions.
func CheckQuery(q Query) error {
	if q.Partition != "" {
		if q.PartitionFrom != "" || q.PartitionTo != "" {
			return fault.New(fault.Invalid, "query names a partition and a range of partitions")
		}
		if err := checkKeyPart("partition key", q.Partition); err != nil {
			return err
		}
	}
	for _, bound := range []string{q.PartitionFrom, q.PartitionTo, q.RowFrom, q.RowTo} {
		if err := checkText("bound of a query", bound, MaxKeyUnits); err != nil {
			return err
		}
	}
	for name, value := range q.Where {
		if err := checkPropertyName(name); err != nil {
			return err
		}
		if value == "" {
			return fault.New(fault.Invalid, "query asks that the column %s says nothing", name)
		}
		if err := checkText("what a column must say", value, MaxKeyUnits); err != nil {
			return err
		}
	}
	if q.PageSize < 0 || q.PageSize > MaxPage {
		return fault.New(fault.Invalid, "page size %d is not 0 to %d", q.PageSize, MaxPage)
	}
	if len(q.Select) > MaxProperties {
		return fault.New(fault.Invalid, "query selects more than %d columns", MaxProperties)
	}
	for _, name := range q.Select {
		if err := checkPropertyName(name); err != nil {
			return err
		}
	}
	return nil
}

// Wants reports whether a row with the given columns fulfils the conditions in Where.
func (q Query) Wants(p Properties) bool {
	for name, value := range q.Where {
		if p[name] != value {
			return false
		}
	}
	return true
}

// CheckTransaction refuses a transaction that Azure Tables would refuse. It also refuses updates and deletes without
// an ETag, which Azure would apply to any revision. If the error concerns one op, it is an [*OpError].
func CheckTransaction(ops []Op) error {
	if len(ops) == 0 || len(ops) > MaxOps {
		return fault.New(fault.Invalid, "transaction of %d operations, not 1 to %d", len(ops), MaxOps)
	}
	total := 0
	for i, op := range ops {
		wire, err := checkOp(op)
		if err == nil && op.Entity.Partition != ops[0].Entity.Partition {
			err = fault.New(fault.Invalid, "transaction touches more than one partition")
		}
		if err != nil {
			return &OpError{Index: i, Err: err}
		}
		total += wire
	}
	if total > maxTransactionBytes {
		return fault.New(fault.Invalid, "transaction is larger than %d bytes", maxTransactionBytes)
	}
	return checkRowsOnce(ops)
}

// checkRowsOnce refuses a second operation on a row. The error gives the index of the second operation.
func checkRowsOnce(ops []Op) error {
	if len(ops) == 1 {
		return nil
	}
	seen := make(map[string]struct{}, len(ops))
	for i, op := range ops {
		if _, twice := seen[op.Entity.Row]; twice {
			return &OpError{Index: i, Err: fault.New(fault.Invalid, "transaction touches one row twice")}
		}
		seen[op.Entity.Row] = struct{}{}
	}
	return nil
}

// checkOp refuses an invalid operation. It returns the largest size, in bytes, that the operation may have when sent.
func checkOp(op Op) (wire int, err error) {
	if err := CheckKey(op.Entity.Key); err != nil {
		return 0, err
	}
	switch op.Kind {
	case Insert, Upsert:
		return checkEntity(op.Entity)
	case Replace, Merge:
		if err := checkETag(op.Entity.ETag); err != nil {
			return 0, err
		}
		return checkEntity(op.Entity)
	case Delete:
		return opOverhead, checkETag(op.Entity.ETag)
	}
	return 0, fault.New(fault.Invalid, "unknown kind of operation %d", op.Kind)
}

// checkETag requires an ETag without characters that could end a line of a header.
func checkETag(e ETag) error {
	if e == "" {
		return fault.New(fault.Invalid, "update or delete without the revision that was read")
	}
	if len(e) > maxETagBytes || !printable(string(e)) {
		return fault.New(fault.Invalid, "malformed revision")
	}
	return nil
}

func checkEntity(e Entity) (wire int, err error) {
	if len(e.Props) > MaxProperties {
		return 0, fault.New(fault.Invalid, "entity has %d columns, more than %d", len(e.Props), MaxProperties)
	}
	for name, value := range e.Props {
		if err := checkProperty(name, value); err != nil {
			return 0, err
		}
	}
	json := JSONSize(e)
	if n := max(EntitySize(e), json); n > MaxEntityBytes {
		return 0, fault.New(fault.Invalid, "entity takes %d bytes, more than %d", n, MaxEntityBytes)
	}
	// The address also contains the keys. There, a byte of a key takes three bytes, and a quote takes six.
	return opOverhead + json + 6*(len(e.Partition)+len(e.Row)), nil
}

func checkProperty(name string, value any) error {
	if err := checkPropertyName(name); err != nil {
		return err
	}
	return checkValue(name, value)
}

func checkValue(name string, value any) error {
	switch v := value.(type) {
	case bool, int32, int64:
	case float64:
		// JSON cannot represent NaN and the infinities. NaN also has no order.
		if v-v != 0 {
			return fault.New(fault.Invalid, "column %s is not a finite number", name)
		}
	case string:
		return checkString(name, v)
	case []byte:
		if len(v) > MaxBinaryBytes {
			return fault.New(fault.Invalid, "column %s is longer than %d bytes", name, MaxBinaryBytes)
		}
	default:
		return fault.New(fault.Invalid, "column %s has the type %T", name, value)
	}
	return nil
}

func checkString(name, s string) error {
	if len(s) > MaxStringUnits && (len(s) > 3*MaxStringUnits || units(s) > MaxStringUnits) {
		return fault.New(fault.Invalid, "column %s is longer than %d UTF-16 units", name, MaxStringUnits)
	}
	if !utf8.ValidString(s) {
		return fault.New(fault.Invalid, "column %s is not valid UTF-8", name)
	}
	return nil
}

// reserved are the columns that belong to the service or the port.
var reserved = []string{"PartitionKey", "RowKey", "Timestamp", "ETag", TokenProperty}

// checkPropertyName allows ASCII identifiers. Azure allows all C# identifiers, but checking those would need tables
// of Unicode categories.
func checkPropertyName(name string) error {
	if name == "" || len(name) > maxNameBytes {
		return fault.New(fault.Invalid, "column name of %d bytes, not 1 to %d", len(name), maxNameBytes)
	}
	for i := range len(name) {
		c := name[i]
		if !letter(c) && c != '_' && (i == 0 || !digit(c)) {
			return fault.New(fault.Invalid, "column name %q is not an identifier", name)
		}
	}
	if slices.Contains(reserved, name) {
		return fault.New(fault.Invalid, "column name %s is reserved", name)
	}
	return nil
}

// EntitySize returns the size of an entity, as Azure Tables bills and limits it. An entity has 4 bytes, and two bytes
// for each UTF-16 unit of its keys. Each column adds 8 bytes, two bytes for each unit of its name, and the size of
// its value. The result includes the token column.
func EntitySize(e Entity) int {
	const token = 8 + 2*len(TokenProperty) + 2*16 + 4
	n := 4 + 2*(units(e.Partition)+units(e.Row)) + token
	for name, value := range e.Props {
		n += 8 + 2*len(name) + valueSize(value)
	}
	return n
}

func valueSize(value any) int {
	switch v := value.(type) {
	case string:
		return 2*units(v) + 4
	case []byte:
		return len(v) + 4
	case bool:
		return 1
	case int32:
		return 4
	}
	return 8
}

// JSONSize returns an upper bound of the size of an entity as ASCII JSON with type annotations and the token. This
// size must be within [MaxEntityBytes], too, because Azurite measures updates in this way, and all adapters must
// refuse the same rows.
func JSONSize(e Entity) int {
	n := 96 + jsonText(e.Partition) + jsonText(e.Row)
	for name, value := range e.Props {
		n += 2*len(name) + 64
		switch v := value.(type) {
		case string:
			n += jsonText(v)
		case []byte:
			n += (len(v) + 2) / 3 * 4
		}
	}
	return n
}

// jsonText returns the length of s in JSON if an encoder escapes all that it may escape: control characters, and all
// characters beyond ASCII as \uXXXX.
func jsonText(s string) int {
	n := len(s)
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			n++
		case r < 0x20 || r == 0x7f:
			n += 5
		case r >= utf8.RuneSelf:
			n += 6*utf16.RuneLen(r) - utf8.RuneLen(r)
		}
	}
	return n
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func lower(c byte) bool { return 'a' <= c && c <= 'z' }

func digit(c byte) bool { return '0' <= c && c <= '9' }

// printable reports whether s is printable ASCII.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}
