package mail

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// written returns the title and the text of a mail as people read it.
func written(t testing.TB, body string) (title, text string) {
	t.Helper()
	m, err := Read([]byte(body), base, extract.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return m.Header("Subject"), m.Document.Text
}

// TestY3Bodies checks that the text of a mail is found where readers of mail find it (Y3).
func TestY3Bodies(t *testing.T) {
	pdf := "Content-Type: application/pdf; name=a.pdf\n\nPDF"
	for name, tt := range map[string]struct{ mail, want string }{
		"a single part with a name": {"Content-Type: text/html; name=\"mail.html\"\n\n<p>Berth 4", "Berth 4"},
		"inline with a name": {"Content-Disposition: inline; filename=\"msg.txt\"\n" +
			"Content-Type: text/plain\n\nBerth 4", "Berth 4"},
		"an attachment alone": {"Content-Disposition: attachment\nContent-Type: text/plain\n\nBerth 4", "Berth 4"},
		"an attachment alone, with a picture": {multipart("related", "b",
			"Content-Disposition: attachment; filename=a.txt\nContent-Type: text/plain\n\nBerth 4",
			"Content-Type: image/png\nContent-ID: <1>\n\nPNG"), "Berth 4"},
		"alternatives with names": {multipart("alternative", "b", "Content-Type: text/plain; name=a.txt\n\nBerth 4",
			"Content-Type: text/html; name=a.html\n\n<p>Berth 5"), "Berth 4"},
		"a name, and a PDF": {multipart("mixed", "b", "Content-Type: text/plain; name=Message.txt\n\nBerth 4", pdf),
			"Berth 4"},
		"a name beside a blank text": {multipart("mixed", "b", "Content-Type: text/plain\n\n \n",
			"Content-Type: text/html; name=a.html\n\n<p>Berth 4"), "Berth 4"},
		"a name beside a text": {multipart("mixed", "b", "Content-Type: text/plain\n\nBerth 4",
			"Content-Type: text/plain; name=a.txt\n\nBerth 5"), "Berth 4"},
		"an attachment beside a PDF": {multipart("mixed", "b", pdf,
			"Content-Disposition: attachment; filename=a.txt\nContent-Type: text/plain\n\nBerth 5"), ""},
		"an answer to an invitation": {"Content-Type: text/calendar; method=REPLY\n\nBEGIN:VCALENDAR\nMETHOD:REPLY\n" +
			"BEGIN:VEVENT\nSUMMARY:Berth 4\nEND:VEVENT\nEND:VCALENDAR\n", ""},
		"encrypted": {"Content-Type: application/pkcs7-mime; name=smime.p7m\n\nMIIB", ""},
		"a page for one reader only": {multipart("alternative", "b", "Content-Type: text/x-amp-html\n\n<p>Berth 5",
			"Content-Type: text/html\n\n<p>Berth 4"), "Berth 4"},
	} {
		if _, text := written(t, tt.mail); text != tt.want {
			t.Errorf("%s: %q, want %q", name, text, tt.want)
		}
	}
	_, text := written(t, "Content-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\nMETHOD:REQUEST\nBEGIN:VEVENT\n"+
		"SUMMARY:Berth 4\nDTSTART:20260105T100000Z\nEND:VEVENT\nEND:VCALENDAR\n")
	if !strings.Contains(text, "Berth 4") || strings.Contains(text, "VCALENDAR") {
		t.Errorf("an invitation: %q", text)
	}
}

// TestY3DamagedTypes checks that a damaged Content-Type does not cost the text (Y3).
func TestY3DamagedTypes(t *testing.T) {
	for _, kind := range []string{"text", "plain", "text plain", "plain/text", "text/plain charset=utf-8",
		"text/plain, charset=utf-8", "TEXT/PLAIN;;charset=\"utf-8", "text/$email_type; charset=utf-8", "text/x-diff",
		"text/markdown", "text/enriched", "text/rfc822-headers", "unknown", "text/", "/", ";",
		"text/plain/html; charset=utf-8",
		"=?utf-8?Q?text/plain?=; charset=utf-8", "text/plain; charset=\"utf-8\"; charset=\"utf-8\"", "charset=utf-8",
		"text / plain", "text/plain; name=", "\"text/plain\"", "text/plain; charset=charset=utf-8", "html"} {
		if _, text := written(t, "Content-Type: "+kind+"\n\nGrüße, Berth 4\n"); text != "Grüße, Berth 4" {
			t.Errorf("%q: %q", kind, text)
		}
	}
	parts := "\n\n--b1\nContent-Type: text/plain\n\nBerth 4\n--b1--\n"
	for _, kind := range []string{"multipart/mixed boundary=\"b1\"", "multipart/mixed, boundary=b1",
		"Multipart; boundary=b1",
		"multipart", "multipart/mixed", "multipart/; boundary=b1", "multipart/mixed; boundary=", "boundary=b1",
		"multipart/mixed; boundary=other", "multipart/mixed; charset=x boundary=b1", "multipart/alternative;boundary='b1'"} {
		if _, text := written(t, "Content-Type: "+kind+parts); text != "Berth 4" {
			t.Errorf("%q: %q", kind, text)
		}
	}
	all := base64.StdEncoding.EncodeToString([]byte(parts[2:]))
	if _, text := written(t, "Content-Type: multipart/mixed; boundary=b1\nContent-Transfer-Encoding: base64\n\n"+
		all); text != "Berth 4" {
		t.Errorf("all of it in base64: %q", text)
	}
	latin := "Content-Type: text/html charset=iso-8859-1\n\n<p>Gr\xfc\xdfe"
	if _, text := written(t, latin); text != "Grüße" {
		t.Errorf("HTML without a semicolon: %q", text)
	}
}

// TestY3Transfer checks that transfer encodings are read as programs write them (Y3).
func TestY3Transfer(t *testing.T) {
	long := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("Berth 4 is closed. ", 6)))
	for name, tt := range map[string]struct{ encoding, body, want string }{
		"a footer": {"base64", "R3LDvMOfZQ==\n____\nlist mailing list\nlist@port.example",
			"Grüße\n____\nlist mailing list\nlist@port.example"},
		"a footer of one word": {"base64", "R3LDvMOfZQ==\nRegards", "Grüße\nRegards"},
		"pieces":               {"base64", "SGFsbG8=\nIFdlbHQ=", "Hallo Welt"},
		"pieces on one line":   {"base64", "SGFsbG8=IFdlbHQ=", "Hallo Welt"},
		"a semicolon":          {"base64;", "SGFsbG8=", "Hallo"},
		"quotes":               {"\"base64\"", "SGFsbG8=", "Hallo"},
		"a comment":            {"base64 (x)", "SGFsbG8=", "Hallo"},
		"x-":                   {"x-base64", "SGFsbG8=", "Hallo"},
		"blanks":               {"base64", "  SGFs\tbG8=  ", "Hallo"},
		"junk": {"base64", long[:40] + "*" + long[40:],
			strings.TrimSpace(strings.Repeat("Berth 4 is closed. ", 6))},
		"no padding":                   {"base64", "SGFsbG8", "Hallo"},
		"a banner":                     {"base64", "This mail was checked.\n\nSGFsbG8=", "This mail was checked.\nHallo"},
		"not encoded":                  {"base64", "Berth 4 is closed, says the port.", "Berth 4 is closed, says the port."},
		"a soft break":                 {"quoted-printable", "Berth= \n 4 is =\t\r\nclosed=", "Berth 4 is closed"},
		"a sign of equality":           {"quoted-printable", "1 =2 and 100=% =c3=BC =", "1 =2 and 100=% ü"},
		"quoted-printable in quotes":   {"\"quoted-printable\";", "=C3=BC", "ü"},
		"quoted-printable, misspelt":   {"Quoted_Printable", "=C3=BC", "ü"},
		"none, and a code in the text": {"8bit", "a=C3=BC", "a=C3=BC"},
		"unknown":                      {"x-none", "Hallo", "Hallo"},
	} {
		_, text := written(t, "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: "+
			tt.encoding+"\n\n"+tt.body)
		if text != tt.want {
			t.Errorf("%s: %q, want %q", name, text, tt.want)
		}
	}
}

// TestY3Charsets checks that charsets are read that only mails have (Y3).
func TestY3Charsets(t *testing.T) {
	for kind, body := range map[string]string{
		"text/plain":                                          "\x1b$B$3$l$O2q5D$G$9!#\x1b(B",
		"text/plain; charset=us-ascii":                        "\x1b$B$3$l$O2q5D$G$9!#\x1b(B",
		"text/html; charset=iso-2022-jp":                      "<p>\x1b$B$3$l$O2q5D$G$9!#\x1b(B",
		"text/plain; format=flowed; delsp=yes; charset=utf-8": "これは \n会議 \nです。",
	} {
		if _, text := written(t, "Content-Type: "+kind+"\n\n"+body+"\n"); text != "これは会議です。" {
			t.Errorf("%s: %q", kind, text)
		}
	}
	for charset, body := range map[string]string{"cp850": "Gr\x81\xe1e", "ibm437": "Gr\x81\xe1e", "IBM-850": "Gr\x81\xe1e",
		"utf-7": "Gr+APwA3w-e", "unknown-8bit": "Gr\xfc\xdfe", "x-unknown": "Grüße", "utf-8*de": "Grüße",
		"\"'utf-8'\"": "Grüße", "iso-8859-1": "Gr\xfc\xdfe", "": "Gr\xfc\xdfe"} {
		if _, text := written(t, "Content-Type: text/plain; charset="+charset+"\n\n"+body+"\n"); text != "Grüße" {
			t.Errorf("%s: %q", charset, text)
		}
	}
}

// TestY3EncodedWords checks that subjects are decoded, however their words are split (Y3).
func TestY3EncodedWords(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("=?utf-8?B?QmVydGggNA==?= ", 100))
	for raw, want := range map[string]string{
		"=?unknown-8bit?Q?gr=C3=BCn?= =?utf-8?Q?_und_bl=C3=A4u?=": "grün und bläu",
		"=?x-foo?Q?gr=FCn?= and =?utf-8?Q?bl=C3=A4u?=":            "grün and bläu",
		"=?utf-8*de?Q?gr=C3=BCn?=":                                "grün",
		"=?cp850?Q?gr=81n?=":                                      "grün",
		"=?ibm437?Q?gr=81n?=":                                     "grün",
		"=?utf-7?Q?gr+APw-n?=":                                    "grün",
		"=?GB2312?B?1tDO?= =?GB2312?B?xMTqyrw=?=":                 "中文年始",
		"=?iso-2022-jp?B?GyRCMnE1?= =?ISO-2022-JP?B?RBsoQg==?=":   "会議",
		"=?utf-8?Q?100=_und?=":                                    "100= und",
		"=?utf-8?B?Z3 LDvG4=?=":                                   "grün",
		"=?utf-8?B?Z3LDvA?= =?utf-8?B?bg==?=":                     "grün",
		"=?utf-8?Q?gr=C3?=\n =?utf-8?Q?=BCn?=":                    "grün",
		"=?utf-8?Q?gr=C3?= =?UTF-8?B?vG4=?=":                      "grün",
		"a=?utf-8?Q?=C3=BC?=b":                                    "aüb",
		"=?utf-8?Q?a?=b =?utf-8?Q?c?=":                            "ab c",
		"=?utf-8?Q??=x":                                           "x",
		"=?utf-8?X?a?= =?":                                        "=?utf-8?X?a?= =?",
		"=?utf-8?Q?Was?=":                                         "Was",
		"=?utf-8?Q?=C3=BC?=?":                                     "ü?",
		long:                                                      strings.Repeat("Berth 4", 100),
	} {
		if title, _ := written(t, "Subject: "+raw+"\n\nx\n"); title != want {
			t.Errorf("%q: %q, want %q", raw, title, want)
		}
	}
}

// TestY3Everything checks that nothing of an HTML mail is left out because of the name of an element (Y3).
func TestY3Everything(t *testing.T) {
	for _, class := range strings.Fields("comment comments sidebar footer nav menu social share related promo ad " +
		"breadcrumb popup newsletter subscribe cookie banner") {
		for _, attr := range []string{"class", "id"} {
			_, text := written(t, "Content-Type: text/html\n\n<p>Dear Anna, we expect you at berth four.</p><div "+attr+"=\""+
				class+"\">Gate code is 7788 for all of you.</div><p>Kind regards, the port of Hamburg</p>")
			if !strings.Contains(text, "7788") {
				t.Errorf("%s=%s: %q", attr, class, text)
			}
		}
	}
	for _, element := range strings.Fields("header footer aside nav button dialog label textarea section form") {
		_, text := written(t, "Content-Type: text/html\n\n<p>Dear Anna, we expect you at berth four.</p><"+element+
			">Gate code is 7788 for all of you.</"+element+"><p>Kind regards, the port of Hamburg</p>")
		if !strings.Contains(text, "7788") {
			t.Errorf("%s: %q", element, text)
		}
	}
	_, text := written(t, "Content-Type: text/html\n\n<p>Seen</p><p style=\"display:none\">7788</p>"+
		"<template>7788</template>"+
		"<div role=navigation>Go</div>")
	if strings.Contains(text, "7788") || !strings.Contains(text, "Go") {
		t.Errorf("hidden: %q", text)
	}
}

// TestY3Names checks that names of attachments are read in all forms of RFC 2231 (Y3).
func TestY3Names(t *testing.T) {
	for param, want := range map[string]string{
		"filename*=''plain9.pdf":                                      "plain9.pdf",
		"filename*=utf-8''gr%C3%BCn.pdf":                              "grün.pdf",
		"filename*=iso-2022-jp''%1B$B2q5D%1B(B.pdf":                   "会議.pdf",
		"filename*=koi8-r'ru'%D0%CF%D2%D4.pdf":                        "порт.pdf",
		"filename*0=\"gr\"; filename*1=\"een.pdf\"":                   "green.pdf",
		"filename*0*=utf-8''gr%C3; filename*1*=%BCn; filename*2=.pdf": "grün.pdf",
		"filename=\"=?utf-8?Q?gr=C3=BCn.pdf?=\"":                      "grün.pdf",
		"filename=\"grün.pdf\"":                                       "grün.pdf",
		"filename=\"a; \\\"b\\\".pdf\"":                               "a; \"b\".pdf",
		"filename=a b.pdf":                                            "a b.pdf",
		"filename=a.pdf; filename*=utf-8''gr%C3%BCn.pdf":              "grün.pdf",
	} {
		doc := read(t, multipart("mixed", "b", "Content-Type: text/plain\n\nx",
			"Content-Type: application/pdf\nContent-Disposition: attachment; "+param+"\n\nPDF"), extract.Limits{})
		if !strings.Contains(doc.Text, "\n- "+want) {
			t.Errorf("%s: %q", param, doc.Text)
		}
	}
}
