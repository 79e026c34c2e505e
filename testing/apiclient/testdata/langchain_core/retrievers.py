import abc
import inspect

from langchain_core.callbacks import CallbackManagerForRetrieverRun


class BaseRetriever(abc.ABC):
    """Fields by name, and invoke."""

    def __init__(self, **fields):
        types = inspect.get_annotations(type(self))
        for name, value in fields.items():
            if name not in types or not isinstance(value, types[name]):
                raise ValueError(f"{name}={value!r} is no field of {type(self).__name__}")
            setattr(self, name, value)

    @abc.abstractmethod
    def _get_relevant_documents(self, query, *, run_manager):
        """Gives the documents that answer a query."""

    def invoke(self, input, config=None, **kwargs):
        return self._get_relevant_documents(input, run_manager=CallbackManagerForRetrieverRun(), **kwargs)
