// Chunk identity after seed 002, written from the seed alone, in the language it was written for.
// Reads builds as JSON lines and answers each with the names of its segments and chunks.
//
//   {"namespaceKey", "files": {path: text}, "chunks": [{"file", "start", "end", "kind", "name",
//     "segment": null | {"type", "languageId", "start", "end"}}]}
//   → {"segmentUids": [string or null], "chunkUids": [string], "collisions": {...}}
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const { default: load } = await import(pathToFileURL(process.argv[2]));
const { h64Raw } = await load();
const encoder = new TextEncoder();

const PRE_CONTEXT_CHARS = 128;
const POST_CONTEXT_CHARS = 128;
const ESCALATION_CONTEXT_CHARS = 1024;

const checksumString = (text) => h64Raw(encoder.encode(text)).toString(16).padStart(16, '0');
const normalizeForUid = (text) => text.replace(/\r\n/g, '\n').replace(/\r/g, '\n');

// §3.4
function segmentUid(segment, text) {
  if (!segment) return null;
  const body = normalizeForUid(text.slice(segment.start, segment.end));
  return 'segu:v1:' + checksumString(['seg', segment.type || '', segment.languageId || '', body].join('\0'));
}

// §4
function chunkUid(namespaceKey, chunk, uid, text, pre, post) {
  const part = (label, from, to) => checksumString(label + '\0' + normalizeForUid(text.slice(from, to)));
  const before = Math.max(0, chunk.start - pre);
  const after = Math.min(text.length, chunk.end + post);
  const parts = ['ck64:v1', namespaceKey, uid ? chunk.file + '#seg:' + uid : chunk.file];
  if (chunk.segment?.languageId) parts.push(chunk.segment.languageId);
  parts.push(part('span', chunk.start, chunk.end));
  if (before < chunk.start) parts.push(part('pre', before, chunk.start));
  if (after > chunk.end) parts.push(part('post', chunk.end, after));
  return parts.join(':');
}

function groupsOf(entries) {
  const byUid = new Map();
  for (const e of entries) byUid.set(e.chunkUid, [...(byUid.get(e.chunkUid) ?? []), e]);
  return [...byUid.values()].filter((group) => group.length > 1);
}

const order = (...pairs) => {
  for (const [a, b] of pairs) {
    if (a < b) return -1;
    if (a > b) return 1;
  }
  return 0;
};

// §5
function build({ namespaceKey, files, chunks }) {
  const entries = chunks.map((chunk) => ({ chunk, uid: segmentUid(chunk.segment, files[chunk.file]) }));
  const name = (e, pre, post) => {
    e.chunkUid = chunkUid(namespaceKey, e.chunk, e.uid, files[e.chunk.file], pre, post);
  };
  for (const e of entries) name(e, PRE_CONTEXT_CHARS, POST_CONTEXT_CHARS);
  const collided = groupsOf(entries);
  for (const e of collided.flat()) name(e, ESCALATION_CONTEXT_CHARS, ESCALATION_CONTEXT_CHARS);
  const left = groupsOf(entries);
  for (const group of left) {
    group.sort(({ chunk: a, uid: u }, { chunk: b, uid: v }) => order(
      [a.file, b.file], [u ?? '', v ?? ''], [a.start, b.start], [a.end, b.end], [a.kind, b.kind], [a.name, b.name]));
    group.forEach((e, i) => { e.chunkUid += ':ord' + (i + 1); });
  }
  const all = new Set([...collided.flat(), ...left.flat()]);
  return {
    segmentUids: entries.map((e) => e.uid),
    chunkUids: entries.map((e) => e.chunkUid),
    collisions: {
      Chunks: all.size,
      ByContext: all.size - left.flat().length,
      ByOrdinal: left.flat().length,
      Largest: Math.max(0, ...[...collided, ...left].map((group) => group.length)),
      Files: [...new Set([...all].map((e) => e.chunk.file))].sort(),
    },
  };
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  console.log(JSON.stringify(build(JSON.parse(line))));
}
