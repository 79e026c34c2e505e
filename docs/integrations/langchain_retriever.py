"""A retriever for LangChain over Tidemark's retrieve: each passage that is found becomes a document."""

import json
import os
import urllib.request

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever


def left_key(server: str) -> str:
    """Gives the key that a server on this machine leaves for its user, or none."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    file = os.path.join(state, "tidemark", "keys", server.split("://")[-1])
    return open(file).read().strip() if os.path.exists(file) else ""


class TidemarkRetriever(BaseRetriever):
    server: str = os.environ.get("TIDEMARK_SERVER", "http://127.0.0.1:7071")
    key: str = os.environ.get("TIDEMARK_KEY", "")
    tokens: int = 2000  # of all passages together, 50 to 20000
    filter: dict = {}  # such as {"host": "docs.example"}, {"tag": "handbook"} or {"since": "7d"}
    max_age: str = ""  # only pages verified within this time, such as 24h

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        body = {"q": query, "tokens": self.tokens, "filter": self.filter, "maxAge": self.max_age}
        headers = {"Content-Type": "application/json", "x-functions-key": self.key or left_key(self.server)}
        request = urllib.request.Request(self.server + "/api/retrieve", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            passages = json.load(answer)["passages"]
        return [
            Document(
                page_content=passage["text"],
                metadata={"source": passage["url"], "title": passage["title"],
                          "heading": " › ".join(passage["headingPath"]),
                          **{name: passage.get(name, "") for name in ("anchor", "zone", "capture", "checkedAt")}},
            )
            for passage in passages
        ]
