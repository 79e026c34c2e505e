class CallbackManagerForRetrieverRun:
    """What a run of a retriever may report to."""
