package listimport

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
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

// Formats lists every format.
var Formats = []Format{OPML, Bookmarks, CSV, JSONLines}

// Bounds on lists.
const (
	MaxAddresses = 10_000
	maxAddress   = 8 << 10
	maxTag       = 100 // bytes of the name of a tag
	maxTags      = 10
	maxFolders   = 50 // depth of nesting
)

// Address is one entry of a list.
type Address struct {
	URL  string   `json:"u"`
	Tags []string `json:"t,omitempty"` // tags of the address, including the names of the folders that contain it
	Why  string   `json:"w,omitempty"` // the reason why the address is refused; empty if it is not refused
}

// Detect recognizes the format of a list by its first bytes.
func Detect(text []byte) Format {
	start := strings.ToLower(string(bytes.TrimSpace(trimmed(text)[:min(len(trimmed(text)), 1000)])))
	switch {
	case strings.Contains(start, "netscape-bookmark"), strings.HasPrefix(start, "<!doctype"),
		strings.HasPrefix(start, "<html"), strings.HasPrefix(start, "<dl"):
		return Bookmarks
	case strings.HasPrefix(start, "<"):
		return OPML
	case strings.HasPrefix(start, "{"):
		return JSONLines
	}
	return CSV
}

func trimmed(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }

// Parse reads a list. It returns the addresses in the order of the file, without duplicates. Errors: Invalid, with
// the field content or format, when the list cannot be read, has no addresses, or has more than [MaxAddresses].
func Parse(text []byte, format Format) (out []Address, err error) {
	if format == "" {
		format = Detect(text)
	}
	l := &list{seen: map[string]bool{}}
	switch text = trimmed(text); format {
	case OPML:
		err = l.opml(text)
	case Bookmarks:
		err = l.bookmarks(text)
	case CSV:
		err = l.csv(text)
	case JSONLines:
		err = l.jsonLines(text)
	default:
		return nil, fault.Field("format", "format must be one of %v, not %.40q", Formats, format)
	}
	switch {
	case errors.Is(err, errFull):
		err = fault.Field("content", "a list has at most %s addresses: import it in parts", words.Thousands(MaxAddresses))
	case err != nil:
		err = fault.Field("content", "the list cannot be read as %s: %w", format, err)
	case len(l.all) == 0:
		err = fault.Field("content", "the list has no addresses, read as %s", format)
	}
	return l.all, err
}

// list collects the addresses of a file.
type list struct {
	all  []Address
	seen map[string]bool
}

var errFull = errors.New("too many addresses")

// add adds an address, unless it was added before. For an address that is refused, the reason must be given.
func (l *list) add(address string, tags []string, why string) error {
	address = strings.TrimSpace(strings.ToValidUTF8(address, ""))
	if address == "" || l.seen[address] {
		return nil
	}
	if len(l.all) == MaxAddresses {
		return errFull
	}
	if len(address) > maxAddress {
		address, why = words.Clip(address, 200), "the address is too long"
	}
	l.seen[address] = true
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

// opml adds the pages in outlines. An outline that contains other outlines is a folder.
func (l *list) opml(text []byte) error {
	d := xml.NewDecoder(bytes.NewReader(text))
	d.CharsetReader, d.Strict, d.Entity = charset.NewReaderLabel, false, xml.HTMLEntity
	var folders []string
	for {
		t, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch e := t.(type) {
		case xml.StartElement:
			if len(folders) == maxFolders {
				return errors.New("its elements are too deep in each other")
			}
			name := ""
			if strings.EqualFold(e.Name.Local, "outline") {
				of := map[string]string{}
				for _, a := range e.Attr {
					of[strings.ToLower(a.Name.Local)] = a.Value
				}
				address, why := of["htmlurl"], ""
				if address == "" {
					address = of["url"]
				}
				if address == "" && of["xmlurl"] != "" {
					address, why = of["xmlurl"], onlyFeed
				}
				if err := l.add(address, append(slices.Clone(folders), strings.Split(of["category"], ",")...), why); err != nil {
					return err
				}
				if address == "" {
					name = cmp.Or(of["text"], of["title"])
				}
			}
			folders = append(folders, name)
		case xml.EndElement:
			folders = folders[:max(0, len(folders)-1)]
		}
	}
}

// bookmarks adds the links. The tags of a link are the headings of the lists that contain it.
func (l *list) bookmarks(text []byte) error {
	z := html.NewTokenizer(bytes.NewReader(text))
	z.SetMaxBuf(1 << 20)
	var folders []string
	heading, inHeading := "", false
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() == io.EOF {
				return nil
			}
			return z.Err()
		case html.TextToken:
			if inHeading && len(heading) < maxTag {
				heading += string(z.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			switch t.Data {
			case "h3":
				heading, inHeading = "", true
			case "dl":
				if len(folders) == maxFolders {
					return errors.New("its folders are too deep in each other")
				}
				folders, heading = append(folders, heading), ""
			case "a":
				of := map[string]string{}
				for _, a := range t.Attr {
					of[a.Key] = a.Val
				}
				if err := l.add(of["href"], append(slices.Clone(folders), strings.Split(of["tags"], ",")...),
					notWeb(of["href"])); err != nil {
					return err
				}
			}
		case html.EndTagToken:
			switch name, _ := z.TagName(); string(name) {
			case "h3":
				inHeading = false
			case "dl":
				folders = folders[:max(0, len(folders)-1)]
			}
		}
	}
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
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord, r.LazyQuotes, r.TrimLeadingSpace, r.ReuseRecord = -1, true, true, true
	if first, _, _ := bytes.Cut(text, []byte("\n")); !bytes.ContainsRune(first, ',') {
		switch {
		case bytes.ContainsRune(first, '\t'):
			r.Comma = '\t'
		case bytes.ContainsRune(first, ';'):
			r.Comma = ';' // in countries with a decimal comma, spreadsheets write semicolons
		}
	}
	at, tags := 0, -1
	for n := 0; ; n++ {
		record, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if n == 0 {
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

// jsonLines adds the address in each line. A line is a string, or an object with one of the fields in urlNames.
func (l *list) jsonLines(text []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var address string
		if json.Unmarshal(line, &address) == nil {
			if err := l.add(address, nil, ""); err != nil {
				return err
			}
			continue
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(line, &fields); err != nil {
			return err
		}
		for name, value := range fields {
			fields[strings.ToLower(name)] = value
		}
		var tags []string
		_ = json.Unmarshal(fields["tags"], &tags) // tags of any other type are ignored
		for _, name := range urlNames {
			if json.Unmarshal(fields[name], &address) == nil && address != "" {
				break
			}
		}
		if err := l.add(address, tags, ""); err != nil {
			return err
		}
	}
	return lines.Err()
}
