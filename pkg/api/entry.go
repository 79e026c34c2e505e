package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
)

// TelegramRequest normalizes a message (spec 001). Either Text or Caption is required. Source.ChatID and
// MessageID are required unless the message is a link. ContentType (thought, note or link) overrides the
// inferred type.
type TelegramRequest struct {
	Text        string         `json:"text,omitempty"`
	Caption     string         `json:"caption,omitempty"`
	ContentType string         `json:"content_type,omitempty"`
	Source      TelegramSource `json:"source,omitzero"`
}

// TelegramSource is where a message comes from. System is always telegram; other values are ignored.
type TelegramSource struct {
	System        string     `json:"system,omitempty"`
	ChatID        TelegramID `json:"chat_id,omitempty"`
	MessageID     TelegramID `json:"message_id,omitempty"`
	URL           string     `json:"url,omitempty"`
	ForwardedFrom string     `json:"forwarded_from,omitempty"`
	Date          string     `json:"date,omitempty"`
}

// TelegramID is the id of a chat or message. In Telegram's own interface the id is a number; here it may be sent as a
// number or as text.
type TelegramID string

var wholeNumber = regexp.MustCompile(`^-?[0-9]{1,20}$`)

// UnmarshalJSON accepts a whole number or text. Its error is a [json.UnmarshalTypeError], to which the decoder adds
// the name of the field.
func (id *TelegramID) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte{'"'}) || bytes.Equal(b, []byte("null")) {
		return json.Unmarshal(b, (*string)(id))
	}
	if !wholeNumber.Match(b) {
		return &json.UnmarshalTypeError{Value: fmt.Sprintf("%.50s", b), Type: reflect.TypeOf(*id)}
	}
	*id = TelegramID(b)
	return nil
}

// EmailRequest normalizes a mail (spec 001). RawText is the whole mail, or only its text; a mail with bytes that are
// not UTF-8 is given as RawBase64 instead. From, Subject and Source override the mail's header. ContentType (newsletter
// or correspondence_thread) overrides the inferred type.
type EmailRequest struct {
	RawText     string      `json:"raw_text,omitempty"`
	RawBase64   string      `json:"raw_base64,omitempty"`
	From        string      `json:"from,omitempty"`
	Subject     string      `json:"subject,omitempty"`
	ContentType string      `json:"content_type,omitempty"`
	Source      EmailSource `json:"source,omitzero"`
}

// EmailSource says where a mail comes from. System is always email. FromAddr and Subject are ignored; the fields From
// and Subject of the request apply instead.
type EmailSource struct {
	System    string `json:"system,omitempty"`
	MessageID string `json:"message_id,omitempty"`
	Date      string `json:"date,omitempty"`
	FromAddr  string `json:"from_addr,omitempty"`
	Subject   string `json:"subject,omitempty"`
}

// WebpageRequest normalizes the text of a page (spec 001). Text is required unless CleanText or
// CaptureText is given.
type WebpageRequest struct {
	Text         *string `json:"text,omitempty"`
	CleanText    *string `json:"clean_text,omitempty"`
	CaptureText  *string `json:"capture_text,omitempty"`
	ContentType  string  `json:"content_type,omitempty"`
	URL          string  `json:"url,omitempty"`
	URLCanonical string  `json:"url_canonical,omitempty"`
	Excerpt      string  `json:"excerpt,omitempty"`
}

// Entry is the result of normalization, and can be inserted unchanged. Null and empty columns are left out, so
// that an update does not touch them. ID, EntryID, CreatedAt and UpdatedAt are set by the server.
type Entry struct {
	ID        string `json:"id,omitempty"`
	EntryID   string `json:"entry_id,omitempty"`
	CreatedAt string `json:"created_at,omitempty"`
	UpdatedAt string `json:"updated_at,omitempty"`

	Source       string `json:"source,omitempty"`
	ContentType  string `json:"content_type,omitempty"`
	Title        string `json:"title,omitempty"`
	Author       string `json:"author,omitempty"`
	URL          string `json:"url,omitempty"`
	URLCanonical string `json:"url_canonical,omitempty"`

	CaptureText   string `json:"capture_text,omitempty"`
	ExtractedText string `json:"extracted_text,omitempty"`
	CleanText     string `json:"clean_text,omitempty"`

	RetrievalExcerpt      string   `json:"retrieval_excerpt,omitempty"`
	CleanCharCount        *int64   `json:"clean_char_count,omitempty"`
	ExtractedCharCount    *int64   `json:"extracted_char_count,omitempty"`
	CleanWordCount        *int64   `json:"clean_word_count,omitempty"`
	LinkCount             *int64   `json:"link_count,omitempty"`
	CleanVsExtractedRatio *float64 `json:"clean_vs_extracted_ratio,omitempty"`
	LinkRatio             *float64 `json:"link_ratio,omitempty"`
	QualityScore          *float64 `json:"quality_score,omitempty"` // 0 to 1
	BoilerplateHeavy      *bool    `json:"boilerplate_heavy,omitempty"`
	LowSignal             *bool    `json:"low_signal,omitempty"`
	ExtractionIncomplete  *bool    `json:"extraction_incomplete,omitempty"`
	// RetrievalUpdateSkipped is true when the clean text is empty; insert and update then keep the stored
	// text.
	RetrievalUpdateSkipped bool `json:"retrieval_update_skipped,omitempty"`

	IdempotencyPolicyKey    string `json:"idempotency_policy_key,omitempty"`
	IdempotencyKeyPrimary   string `json:"idempotency_key_primary,omitempty"`
	IdempotencyKeySecondary string `json:"idempotency_key_secondary,omitempty"`

	Metadata map[string]any `json:"metadata,omitempty"`
}

// The actions in an [EntryResult].
const (
	ActionInserted = "inserted"
	ActionSkipped  = "skipped"
	ActionUpdated  = "updated"
)

// EntryTier1 is a language model's description of an entry, and the progress of enrichment. The server sets
// these columns; they are ignored in requests.
type EntryTier1 struct {
	Gist         string `json:"gist,omitempty"`
	TopicPrimary string `json:"topic_primary,omitempty"`
	// 0 to 1, like topic_secondary_confidence
	TopicPrimaryConfidence   float64  `json:"topic_primary_confidence,omitempty"`
	TopicSecondary           string   `json:"topic_secondary,omitempty"`
	TopicSecondaryConfidence float64  `json:"topic_secondary_confidence,omitempty"`
	Keywords                 []string `json:"keywords,omitempty"`
	Tier1Status              string   `json:"tier1_status,omitempty"`   // pending, enriched or failed; empty if never requested
	Tier1BatchID             string   `json:"tier1_batch_id,omitempty"` // the current or last batch of the entry
	Tier1Digest              string   `json:"tier1_digest,omitempty"`   // digest of the text given to the model
	Tier1Model               string   `json:"tier1_model,omitempty"`
	Tier1Error               string   `json:"tier1_error,omitempty"` // why enrichment failed
	Tier1At                  string   `json:"tier1_at,omitempty"`
	Tier1TokensIn            int64    `json:"tier1_tokens_in,omitempty"`
	Tier1TokensOut           int64    `json:"tier1_tokens_out,omitempty"`
	Tier1Cost                float64  `json:"tier1_cost,omitempty"` // in US dollars, if the service reports the cost
}

// EntryResult is the stored entry and the action taken. In a batch, BatchOK and BatchIndex are set; if BatchOK
// is false, Error replaces the entry.
type EntryResult struct {
	Entry
	EntryTier1
	Action string `json:"action,omitempty"`
	// Conflict is set when the two keys in the request belong to different entries.
	Conflict   *EntryConflict `json:"idempotency_conflict,omitempty"`
	BatchOK    *bool          `json:"_batch_ok,omitempty"`
	BatchIndex *int           `json:"_batch_index,omitempty"`
	Error      string         `json:"error,omitempty"`
}

// EntryDetail is a stored entry.
type EntryDetail struct {
	Entry
	EntryTier1
	Page *LinkedPage `json:"page,omitempty"` // for an entry that is a link: the linked page
}

// Tier1Failed is the status of an entry that the model could not describe.
const Tier1Failed = "failed"

// EntryQuery lists entries, ordered by policy and then by id. The zero value lists all.
type EntryQuery struct {
	Policy string `json:"policy,omitempty"`                             // Only entries of this policy.
	Top    int    `json:"top,omitempty" default:"50" min:"1" max:"200"` // Entries per page.
	// The continuation of the previous page; omit it for the first page.
	Continuation string `json:"continuation,omitempty"`
}

// EntryID identifies an entry of the active schema.
type EntryID struct {
	ID string `json:"-" path:"id"` // The entry.
}

// EntryPage is one page of a listing, without the texts of entries.
type EntryPage struct {
	Entries      []EntryDetail `json:"entries"`
	Continuation string        `json:"continuation,omitempty"` // for the next page; empty on the last page
}

// EntryConflict has the ids of two entries. The entry with the primary key was skipped or updated. The entry with the
// secondary key was not touched.
type EntryConflict struct {
	PrimaryEntryID   string `json:"primary_entry_id"`
	SecondaryEntryID string `json:"secondary_entry_id"`
}

// EntryBatch has up to [MaxBatch] entries. Unless ContinueOnError is true, the batch ends at the first entry that
// fails, and the answer is that entry's error. The entries before it stay written.
type EntryBatch struct {
	Items           []Entry `json:"items"`
	ContinueOnError bool    `json:"continue_on_error,omitempty"`
}

// EntryBatchResult has a result for each item, in order.
type EntryBatchResult struct {
	Results []EntryResult `json:"results"`
}

// TestMode selects the schema that entries are written to: the test schema or the production schema.
type TestMode struct {
	IsTestMode bool `json:"is_test_mode"`
}

// ServerSetting is a setting of the program. Value is "set" if it may be a secret and is set. From is environment, file
// or default. Allowed describes the values that it may have. Restart says that a change takes effect at the next start.
type ServerSetting struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	From    string `json:"from"`
	Allowed string `json:"allowed"`
	Restart bool   `json:"restart"`
	Secret  bool   `json:"secret"`
}

// ServerSettings lists all settings of the program, in the order of the documentation.
type ServerSettings struct {
	Settings []ServerSetting `json:"settings"`
}

// SettingsPatch has new values of settings by name, as texts; null takes a setting out of the settings file. Only
// settings whose restart is false can be changed while the program runs.
type SettingsPatch map[string]*string

// Config lists the server's settings. If the value of a setting may be secret, Config shows only whether it is set.
type Config struct {
	Settings map[string]string `json:"settings"`
}
