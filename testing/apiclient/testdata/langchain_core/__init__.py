"""A stand-in for the parts of langchain-core that docs/integrations/langchain_retriever.py uses, for machines that have
not the real one. It follows the documented contract of a custom retriever, and has nothing else of the library:

- a retriever is a class with typed fields, which are set by name; an unknown name or a value of another type is refused
- invoke(query) calls _get_relevant_documents(query, run_manager=...) and gives what that returns
- a Document has page_content, metadata and id
"""
