"""Retrieves with docs/integrations/langchain_retriever.py: retrieve.py FOLDER WORDS. FOLDER is where it lies."""

import pathlib
import sys

sys.path.insert(0, sys.argv[1])
try:
    import langchain_core
except ImportError:
    sys.path.append(str(pathlib.Path(__file__).parent))
    import langchain_core

from langchain_core.documents import Document
from langchain_retriever import TidemarkRetriever

print("with", langchain_core.__file__)
for document in TidemarkRetriever(tokens=200).invoke(sys.argv[2]):
    assert isinstance(document, Document)
    print("retrieved", document.metadata["source"], document.metadata["title"], "of", document.metadata["capture"],
          document.page_content)
