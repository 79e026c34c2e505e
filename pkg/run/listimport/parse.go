package listimport

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"golang.org/x/net/html"
)

// Format is the file format of a list.
type Format string

// The formats of lists.
const (
	OPML      Format = "opml"
	Bookmarks Format = "bookmarks" // exported by browsers (Netscape's format)
	CSV       Format = "csv"
	JSONLines Format = "jsonl"
)

// formats lists every format.
var formats = []Format{OPML, Bookmarks, CSV, JSONLines}

// Bounds on lists.
const (
	MaxAddresses = 10_000
	maxAddress   = 8 << 10
	maxTag       = 100 // bytes of the name of a tag
	maxTags      = 10
	maxFolders   = 50       // depth of nesting
	maxToken     = 16 << 20 // bytes of an element, which may have an icon
)

// Address is one entry of a list.
type Address struct {
	URL  string   `json:"u"`
	Tags []string `json:"t,omitempty"` // tags of the address, including the names of the folders that contain it
	Why  string   `json:"w,omitempty"` // the reason why the address is refused; empty if it is not refused
}

// detectFormat recognizes the format of a list by its first bytes.
func detectFormat(text []byte) Format { return detect(trimmed(unicodeOf(text))) }

func detect(text []byte) Format {
	start := strings.ToLower(string(bytes.TrimSpace(text[:min(len(text), 1000)])))
	switch {
	case strings.HasPrefix(start, "<") && strings.Contains(start, "<opml"):
		return OPML
	case strings.Contains(start, "netscape-bookmark"), strings.HasPrefix(start, "<!doctype"),
		strings.HasPrefix(start, "<html"), strings.HasPrefix(start, "<dl"):
		return Bookmarks
	case strings.HasPrefix(start, "<"):
		return OPML
	case strings.HasPrefix(start, "{"), strings.HasPrefix(start, "["):
		return JSONLines
	}
	return CSV
}

func trimmed(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }

// parse reads a list. It returns the addresses in the order of the file, without duplicates. Errors: Invalid, with
// the field content or format, when the list cannot be read, has no addresses, or has more than [MaxAddresses].
func parse(text []byte, format Format) (out []Address, err error) {
	l := &list{seen: map[string]bool{}, most: MaxAddresses}
	err = l.parse(text, format)
	return l.all, err
}

// parse reads a list in a format; "" for the one that its first bytes show.
func (l *list) parse(text []byte, format Format) (err error) {
	if text = trimmed(unicodeOf(text)); format == "" {
		format = detect(text)
	}
	switch format {
	case OPML:
		err = l.opml(text)
	case Bookmarks:
		err = l.bookmarks(text)
	case CSV:
		err = l.csv(text)
	case JSONLines:
		err = l.jsonLines(text)
	default:
		return fault.Field("format", "format must be one of %v, not %.40q", formats, format)
	}
	switch {
	case errors.Is(err, errFull):
		err = fault.Field("content", "a list has at most %s addresses: import it in parts", words.Thousands(MaxAddresses))
	case err != nil:
		err = fault.Field("content", "the list cannot be read as %s: %w", format, err)
	case l.bad != "" && !l.good:
		err = fault.Field("content", "the list cannot be read as %s: %s", format, l.bad)
	case len(l.all) == 0:
		err = fault.Field("content", "the list has no addresses, read as %s", format)
	}
	return err
}

// list collects the addresses of a file.
type list struct {
	all  []Address
	seen map[string]bool
	most int    // number of addresses
	good bool   // an address was added
	bad  string // why the last line was refused
}

// refuse refuses a line of the file. The first line has the number 1.
func (l *list) refuse(line int, why string) error {
	l.bad = why
	good := l.good
	err := l.add(fmt.Sprintf("line %d", line), nil, why)
	l.good = good
	return err
}

var errFull = errors.New("too many addresses")

// add adds an address, unless it was added before. For an address that is refused, the reason must be given.
func (l *list) add(address string, tags []string, why string) error {
	address = strings.TrimSpace(strings.ToValidUTF8(address, ""))
	if address == "" || l.seen[address] {
		return nil
	}
	if len(l.all) == l.most {
		return errFull
	}
	if len(address) > maxAddress {
		address, why = words.Clip(address, 200), "the address is too long"
	}
	l.seen[address], l.good = true, true
	a := Address{URL: address, Why: why}
	for _, tag := range tags {
		tag = words.Clip(strings.Join(strings.Fields(strings.ToValidUTF8(tag, "")), " "), maxTag)
		if tag != "" && !slices.Contains(a.Tags, tag) && len(a.Tags) < maxTags {
			a.Tags = append(a.Tags, tag)
		}
	}
	l.all = append(l.all, a)
	return nil
}

const onlyFeed = "it is a feed without the address of its page (htmlUrl); feeds are named in the site file"

// opml adds the pages in outlines. An outline that contains other outlines is a folder. The file is read as browsers
// read HTML, because many programs write OPML that is not XML: with "&" in addresses, or with control characters.
func (l *list) opml(text []byte) error {
	var folders []string
	return eachToken(text, func(t html.Token) error {
		switch {
		case t.Data != "outline":
		case t.Type == html.EndTagToken:
			folders = folders[:max(0, len(folders)-1)]
		case t.Type == html.StartTagToken, t.Type == html.SelfClosingTagToken:
			if len(folders) == maxFolders {
				return errors.New("its elements are too deep in each other")
			}
			name, err := l.outline(t, folders)
			if t.Type == html.StartTagToken {
				folders = append(folders, name)
			}
			return err
		}
		return nil
	})
}

// eachToken calls a function for each token of HTML, until the function returns an error.
func eachToken(text []byte, do func(t html.Token) error) error {
	z := html.NewTokenizer(bytes.NewReader(text))
	z.SetMaxBuf(maxToken)
	for z.Next() != html.ErrorToken {
		if err := do(z.Token()); err != nil {
			return err
		}
	}
	if z.Err() == io.EOF {
		return nil
	}
	return z.Err()
}

func attributes(t html.Token) map[string]string {
	of := map[string]string{}
	for _, a := range t.Attr {
		of[a.Key] = a.Val
	}
	return of
}

// outline adds the page of an outline, or returns the name of a folder.
func (l *list) outline(t html.Token, folders []string) (name string, err error) {
	of := attributes(t)
	address, why := cmp.Or(of["htmlurl"], of["url"]), ""
	if address == "" && of["xmlurl"] != "" {
		address, why = of["xmlurl"], onlyFeed
	}
	if address == "" {
		return cmp.Or(of["text"], of["title"]), nil
	}
	return "", l.add(address, append(slices.Clone(folders), strings.Split(of["category"], ",")...), why)
}

// bookmarks adds the links. The tags of a link are the headings of the lists that contain it.
func (l *list) bookmarks(text []byte) error {
	var folders []string
	heading, inHeading := "", false
	return eachToken(text, func(t html.Token) error {
		switch end := t.Type == html.EndTagToken; {
		case t.Type == html.TextToken:
			if inHeading && len(heading) < maxTag {
				heading += t.Data
			}
		case t.Type != html.StartTagToken && t.Type != html.SelfClosingTagToken && !end:
		case t.Data == "h3" && end:
			inHeading = false
		case t.Data == "h3":
			heading, inHeading = "", true
		case t.Data == "dl" && end:
			folders = folders[:max(0, len(folders)-1)]
		case t.Data == "dl":
			if len(folders) == maxFolders {
				return errors.New("its folders are too deep in each other")
			}
			folders, heading = append(folders, heading), ""
		case t.Data == "a" && !end:
			of := attributes(t)
			return l.add(of["href"], append(slices.Clone(folders), strings.Split(of["tags"], ",")...), notWeb(of["href"]))
		}
		return nil
	})
}

// notWeb returns the reason why a bookmark is not a web page; "" if it is one. Browsers also store scripts and
// internal pages as bookmarks.
func notWeb(address string) string {
	scheme, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(address)), ":")
	if scheme == "http" || scheme == "https" {
		return ""
	}
	return "it is no address of a page in the web"
}

// urlNames are the names of columns or fields that may contain the address, the best first.
var urlNames = []string{"url", "displaysource", "normalizedsource", "source", "address", "link", "href"}

// csv adds the addresses in the column whose name is in urlNames. If there is no such column, it uses the first one.
// The tags are in the column with the name "tags".
func (l *list) csv(text []byte) error {
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	comma, number := ',', 0
	if name, sep, found := strings.Cut(strings.TrimSpace(lines[0]), "="); found && name == "sep" && len(sep) <= 1 {
		lines, number = lines[1:], 1 // written by Excel
		comma = rune((sep + "\t")[0])
	} else {
		comma = separator(lines[0])
	}
	at, tags := 0, -1
	for first := true; len(lines) > 0; {
		n := rowLines(lines)
		record, err := readRow(strings.Join(lines[:n], "\n"), comma)
		lines, number = lines[n:], number+n
		if err != nil {
			if err := l.refuse(number-n+1, "it is not a row of CSV: "+err.Error()); err != nil {
				return err
			}
			continue
		}
		if len(record) == 0 {
			continue
		}
		if first {
			first = false
			if found, column, ofTags := header(record); found {
				at, tags = column, ofTags
				continue
			}
		}
		var of []string
		if tags >= 0 && tags < len(record) {
			of = strings.FieldsFunc(record[tags], func(r rune) bool { return r == ',' || r == ';' })
		}
		if at < len(record) {
			if err := l.add(record[at], of, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// separator returns the separator of the columns: the one that the first line has most often, outside of quotes.
// In countries with a decimal comma, spreadsheets write semicolons.
func separator(line string) rune {
	counts, quoted := map[rune]int{}, false
	for _, c := range line {
		if c == '"' {
			quoted = !quoted
		}
		if !quoted {
			counts[c]++
		}
	}
	best := ','
	for _, c := range ";\t" {
		if counts[c] > counts[best] {
			best = c
		}
	}
	return best
}

// rowLines returns the number of lines of the first row. A quoted field may have line breaks; one that is never closed
// ends with its line.
func rowLines(lines []string) int {
	const most = 20
	quotes := 0
	for i, line := range lines[:min(len(lines), most)] {
		if i > 0 && startsRow.MatchString(line) {
			break
		}
		if quotes += strings.Count(line, `"`); quotes%2 == 0 {
			return i + 1
		}
	}
	return 1
}

// startsRow matches the beginning of a row whose first column has an address.
var startsRow = regexp.MustCompile(`^\s*"?https?://`)

// readRow reads one row; nil for an empty line.
func readRow(text string, comma rune) ([]string, error) {
	if strings.Count(text, `"`)%2 == 1 {
		return nil, errors.New("a quote is not closed")
	}
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord, r.LazyQuotes, r.TrimLeadingSpace, r.Comma = -1, true, comma != '\t', comma
	record, err := r.Read()
	if err == io.EOF {
		return nil, nil
	}
	return record, err
}

// header reports whether a record is the header, and returns the columns with addresses and tags.
func header(record []string) (found bool, at, tags int) {
	names := make([]string, len(record))
	for i, name := range record {
		names[i] = strings.ToLower(strings.TrimSpace(name))
	}
	tags = slices.Index(names, "tags")
	for _, name := range urlNames {
		if at = slices.Index(names, name); at >= 0 {
			return true, at, tags
		}
	}
	return false, 0, -1
}

// jsonLines adds the address in each line. A line is a string, or an object with one of the fields in urlNames. A file
// may also be one list of them.
func (l *list) jsonLines(text []byte) error {
	var all []json.RawMessage
	if json.Unmarshal(text, &all) != nil {
		for line := range bytes.SplitSeq(text, []byte("\n")) {
			all = append(all, line)
		}
	}
	for i, line := range all {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		address, tags, err := ofJSON(line)
		if err != nil {
			err = l.refuse(i+1, "it is not JSON: "+err.Error())
		} else {
			err = l.add(address, tags, "")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ofJSON returns the address in a string or an object, and its tags.
func ofJSON(line []byte) (address string, tags []string, err error) {
	if json.Unmarshal(line, &address) == nil {
		return address, nil, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return "", nil, err
	}
	for name, value := range fields {
		fields[strings.ToLower(name)] = value
	}
	_ = json.Unmarshal(fields["tags"], &tags) // tags of any other type are ignored
	for _, name := range urlNames {
		if json.Unmarshal(fields[name], &address) == nil && address != "" {
			break
		}
	}
	return address, tags, nil
}
