// A retriever for LangChain.js over Tidemark's search: each passage that is found becomes a document.
import { Document } from "@langchain/core/documents";
import { BaseRetriever, type BaseRetrieverInput } from "@langchain/core/retrievers";
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

export interface TidemarkRetrieverInput extends BaseRetrieverInput {
  server?: string; // http://localhost:7071 when left out
  key?: string;
  top?: number; // pages, 1 to 100; each has up to three passages
  host?: string; // only pages of this host
}

export class TidemarkRetriever extends BaseRetriever {
  lc_namespace = ["tidemark"];

  constructor(private readonly fields: TidemarkRetrieverInput = {}) {
    super(fields);
  }

  async _getRelevantDocuments(q: string): Promise<Document[]> {
    const { server = "http://localhost:7071", key, top = 5, host } = this.fields;
    const headers = key ? { "x-functions-key": key } : {};
    const client = createClient<paths>({ baseUrl: server + "/api", headers });
    const { data, error } = await client.POST("/Search", { body: { q, top, host } });
    if (!data) throw new Error(JSON.stringify(error));
    return data.results.flatMap((page) =>
      page.passages.map((passage) => new Document({
        id: passage.chunkUid,
        pageContent: passage.text,
        metadata: { source: page.url, title: page.title, heading: passage.heading ?? "", anchor: passage.anchor ?? "" },
      })),
    );
  }
}
