"""A retriever for LangChain over Tidemark's search: each passage that is found becomes a document."""

import json
import os
import urllib.request

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever


class TidemarkRetriever(BaseRetriever):
    """Asks POST /api/Search. The fields are those of the request; without a key none is sent."""

    server: str = os.environ.get("TIDEMARK_SERVER", "http://localhost:7071")
    key: str = os.environ.get("TIDEMARK_KEY", "")
    top: int = 5  # pages, 1 to 100; each has up to three passages
    host: str = ""  # only pages of this host

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        body = {"q": query, "top": self.top, **({"host": self.host} if self.host else {})}
        headers = {"Content-Type": "application/json", **({"x-functions-key": self.key} if self.key else {})}
        request = urllib.request.Request(self.server + "/api/Search", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            results = json.load(answer)["results"]
        return [
            Document(
                id=passage["chunkUid"],
                page_content=passage["text"],
                metadata={"source": page["url"], "title": page["title"], "heading": passage.get("heading", ""),
                          "anchor": passage.get("anchor", "")},
            )
            for page in results
            for passage in page["passages"]
        ]
