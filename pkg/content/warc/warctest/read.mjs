// Reads WARC files with warcio.js and prints, as JSON, what it finds in each record.
//
//   node read.mjs WARCIO_DIR FILE...
//
// Digests are computed here, since warcio.js reads past them.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [home, ...files] = process.argv.slice(2);
const { CDXIndexer, WARCParser } = await import(pathToFileURL(join(home, "dist", "index.js")));

const sha256 = (bytes) => "sha256:" + createHash("sha256").update(bytes).digest("hex");
const stream = (file) => createReadStream(file, { highWaterMark: 1 << 16 });

async function blocks(file) {
  const found = [];
  for await (const record of WARCParser.iterRecords(stream(file), { parseHttp: false })) {
    found.push(sha256(await record.readFully()));
  }
  return found;
}

async function records(file) {
  const digests = await blocks(file);
  const found = [];
  for await (const record of WARCParser.iterRecords(stream(file))) {
    const payload = await record.readFully(true); // decoded as the HTTP header asks
    found.push({
      version: record.warcHeaders.statusline,
      warc: Object.fromEntries(record.warcHeaders.headers), // names in lower case
      block: digests[found.length],
      status: record.httpHeaders?.statusCode ?? 0,
      payload: Buffer.from(payload).toString(),
      payloadDigest: sha256(payload),
    });
  }
  return found;
}

async function index(file) {
  const found = [];
  for await (const line of new CDXIndexer().iterIndex([{ filename: file, reader: stream(file) }])) {
    found.push({ offset: line.offset, length: line.length, url: line.url });
  }
  return found;
}

console.warn = (text) => {
  throw new Error(text); // warcio.js warns where a length is wrong, and reads on
};
const out = [];
for (const file of files) {
  out.push({ records: await records(file), index: await index(file) });
}
console.log(JSON.stringify(out));
