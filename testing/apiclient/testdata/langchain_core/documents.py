class Document:
    """A text with what is known of it."""

    def __init__(self, page_content, *, metadata=None, id=None):
        if not isinstance(page_content, str) or not isinstance(id, (str, type(None))):
            raise ValueError("page_content and id are texts")
        self.page_content, self.metadata, self.id = page_content, dict(metadata or {}), id
