#!/usr/bin/env python3
"""Checks the questions against the installed documentation and counts them.

For every right page the expression must match the page's text, whichever way the tags are taken out, with
white space as Go's \\s knows it (ASCII only). It counts in how many other pages of the corpus the expression
matches too, and complains where there are any. Usage: python3 check.py [folder of the .jsonl files]
"""
import collections, fnmatch, html, json, os, re, sys

HERE = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
CORPORA = json.load(open(os.path.join(HERE, "corpora.json"), encoding="utf-8"))
BLOCK = r"(?i)</?(p|div|tr|td|th|li|ul|ol|dl|dt|dd|h\d|pre|table|section|br|hr)\b[^>]*>"


def texts(path):
    """The page's text three ways: tags dropped, tags as spaces, tags dropped and hard spaces kept."""
    raw = open(path, "rb").read()
    m = re.search(rb"charset=[\"']?([A-Za-z0-9_-]+)", raw[:2000])
    s = raw.decode(m.group(1).decode() if m else "utf-8", "replace")
    s = re.sub(r"(?is)<(script|style|head)\b.*?</\1\s*>", " ", s)
    s = re.sub(r"(?s)<!--.*?-->", " ", s)
    joined = html.unescape(re.sub(r"<[^>]*>", "", re.sub(BLOCK, " ", s)))
    spaced = html.unescape(re.sub(r"<[^>]*>", " ", s))
    ascii_ws = lambda t: re.sub(r"[ \t\r\n\f]+", " ", t)
    return [re.sub(r"\s+", " ", joined), re.sub(r"\s+", " ", spaced), ascii_ws(joined)]


def load(name):
    c, out = CORPORA[name], {}
    for root, _, files in os.walk(c["dir"]):
        for f in files:
            p = os.path.join(root, f)
            rel = os.path.relpath(p, c["dir"])
            if not rel.endswith(".html") or any(fnmatch.fnmatch(rel, e) for e in c["exclude"]):
                continue
            out[rel] = texts(p)
    return out


def main():
    pages, bad = {}, 0
    for name in CORPORA:
        if not os.path.isdir(CORPORA[name]["dir"]):
            print("missing folder:", name); bad += 1
        else:
            pages[name] = load(name)
    for s in ("api", "manuals", "faq"):
        rows = []
        for half in ("open", "aside"):
            fn = os.path.join(HERE, "%s.%s.jsonl" % (s, half))
            part = [json.loads(l) for l in open(fn, encoding="utf-8")]
            print("%s.%s: %d questions, %s" % (s, half, len(part), dict(collections.Counter(r["lang"] for r in part))))
            rows += part
        use, others = collections.Counter(), collections.Counter()
        for r in rows:
            rx, d = re.compile(r["answer"], re.ASCII), pages.get(r["corpus"], {})
            for p in r["right"]:
                use[r["corpus"], p] += 1
                if p not in d:
                    print("!! no such page:", r["corpus"], p); bad += 1
                elif not all(rx.search(t) for t in d[p]):
                    print("!! not matched:", r["q"], p, [bool(rx.search(t)) for t in d[p]]); bad += 1
            extra = [p for p, t in d.items() if p not in r["right"] and any(rx.search(x) for x in t)]
            others[len(extra)] += 1
            if extra:
                print("!! matches elsewhere:", r["q"], extra[:6]); bad += 1
            for a in r.get("also", []):
                for p in a["right"]:
                    if p not in pages.get(a["corpus"], {}):
                        print("!! no such twin:", a["corpus"], p); bad += 1
        if len(set(r["q"] for r in rows)) != len(rows):
            print("!! a question twice"); bad += 1
        lang, corp = (collections.Counter(r[k] for r in rows) for k in ("lang", "corpus"))
        print("%s: %d questions; languages %s; corpora %s" % (s, len(rows), dict(lang), dict(corp)))
        print("   not English: %.0f %%; keywords (up to four words): %.0f %%; right pages: %d in all, %d different" % (
            100 - 100 * lang["en"] / len(rows), 100 * sum(len(r["q"].split()) <= 4 for r in rows) / len(rows),
            sum(use.values()), len(use)))
        print("   matches in other pages:", dict(others), " most questions on one page:", use.most_common(1)[0])
        print("   pages in the corpora: %d" % sum(len(pages.get(c, {})) for c in corp))
    print("problems:", bad)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
