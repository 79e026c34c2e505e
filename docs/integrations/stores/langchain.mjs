// A vector store of LangChain.js that is kept in step with the index by `tidemark sync`:
//
//	npm ci && tidemark sync --cursor store.cursor --exec node langchain.mjs store.json
// It is in memory and in a file; a store with add and delete by id takes the same steps.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Document } from "@langchain/core/documents";
import { VectorStore } from "@langchain/core/vectorstores";
import { SyntheticEmbeddings } from "@langchain/core/utils/testing";

export class SyncedStore extends VectorStore {
  _vectorstoreType() { return "tidemark"; }

  constructor(embeddings, file) {
    super(embeddings, {});
    this.file = file;
    this.rows = new Map(existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : []);
  }

  /** Documents whose hash is as before keep their vectors; all others go to the model together. */
  async addDocuments(documents) {
    const latest = [...new Map(documents.map((d) => [d.id, d])).values()];
    const kept = (d) => this.rows.get(d.id)?.document.metadata.hash === d.metadata.hash;
    const changed = latest.filter((d) => !kept(d));
    for (const d of latest.filter(kept)) this.rows.get(d.id).document = d;
    const texts = changed.map((d) => [...d.metadata.headingPath, d.pageContent].join("\n"));
    await this.addVectors(await this.embeddings.embedDocuments(texts), changed);
  }

  async addVectors(vectors, documents) {
    documents.forEach((document, i) => this.rows.set(document.id, { vector: vectors[i], document }));
  }

  async similaritySearchVectorWithScore(query, k) {
    const score = (vector) => vector.reduce((sum, x, i) => sum + x * query[i], 0);
    const all = [...this.rows.values()].map((r) => [new Document(r.document), score(r.vector)]);
    return all.sort((a, b) => b[1] - a[1]).slice(0, k);
  }

  /** apply takes lines of `tidemark sync`, and then saves the store as a whole. */
  async apply(changes) {
    const added = [];
    for (const { op, chunkId: id, text: pageContent, headingPath = [], ...rest } of changes) {
      const metadata = { ...rest, headingPath, page: rest.itemId ?? rest.entryId };
      if (op === "upsert" && added.push(new Document({ id, pageContent, metadata }))) continue;
      await this.addDocuments(added.splice(0)); // before what follows; the last line is a cursor
      const gone = { delete: (d) => d.id === id, deleteItem: (d) => d.metadata.page === metadata.page,
        copied: (d) => d.metadata.stale }[op] ?? (() => false);
      for (const [key, { document }] of this.rows) if (gone(document)) this.rows.delete(key);
      if (op === "begin") for (const { document } of this.rows.values()) document.metadata.stale = true;
    }
    writeFileSync(this.file + ".new", JSON.stringify([...this.rows]));
    renameSync(this.file + ".new", this.file);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const lines = readFileSync(0, "utf8").trim().split("\n").map((line) => JSON.parse(line));
  await new SyncedStore(new SyntheticEmbeddings({ vectorSize: 16 }), process.argv[2]).apply(lines);
}
