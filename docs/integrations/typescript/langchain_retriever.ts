// A retriever for LangChain.js over Tidemark's retrieve: each passage that is found becomes a document.
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { Document } from "@langchain/core/documents";
import { BaseRetriever, type BaseRetrieverInput } from "@langchain/core/retrievers";
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

export interface TidemarkRetrieverInput extends BaseRetrieverInput {
  server?: string; // http://127.0.0.1:7071 when left out
  key?: string; // the one that a server on this machine leaves for its user, when left out
  tokens?: number; // of all passages together, 50 to 20000
  filter?: components["schemas"]["RetrieveFilter"]; // such as { host: "docs.example" }
  maxAge?: string; // only pages verified within this time, such as 24h
}

export class TidemarkRetriever extends BaseRetriever {
  lc_namespace = ["tidemark"];

  constructor(private readonly fields: TidemarkRetrieverInput = {}) {
    super(fields);
  }

  async _getRelevantDocuments(q: string): Promise<Document[]> {
    const { server = "http://127.0.0.1:7071", tokens, filter, maxAge } = this.fields;
    const state = process.env.XDG_STATE_HOME || `${homedir()}/.local/state`;
    const left = `${state}/tidemark/keys/${server.split("://").pop()}`;
    const key = this.fields.key ?? (existsSync(left) ? readFileSync(left, "utf8").trim() : "");
    const headers = key ? { "x-functions-key": key } : {};
    const client = createClient<paths>({ baseUrl: server + "/api", headers });
    const { data, error } = await client.POST("/retrieve", { body: { q, tokens, filter, maxAge } });
    if (!data) throw new Error(JSON.stringify(error));
    return data.passages.map(({ text, url, headingPath, ...rest }) =>
      new Document({ pageContent: text, metadata: { source: url, heading: headingPath.join(" › "), ...rest } }),
    );
  }
}
