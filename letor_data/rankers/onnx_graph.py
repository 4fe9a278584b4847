"""Checks of ONNX models before the library reads them: inputs, operators, and where the weights are.

A model is a protobuf message, whose fields are numbered as in onnx.proto. Scores must depend on the file and
the features alone: operators that draw random numbers, and weights in other files, are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rankduel.base.errors import DataError
from rankduel.base.text import printable, shortened
from rankduel.letor_data.rankers.protobuf import Message, Reader, text_of

RANDOM = frozenset(
    (
        *("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform"),
        *("RandomUniformLike", "Sampling"),
    )
)
_MOST_NESTED = 100
_FLOATS = (1, 11)  # element types: float and double
_BOOL = 9
_ELSEWHERE = (13, 14)  # of a tensor: its file, and that it is in a file
_SHAPES = {"type": (1,), "tensor type": (1, 2), "shape": (1,), "dimension": (1,)}
# The fields of a message that are read.
_WANTED = {
    "model": (7, 25),  # graph, functions
    "graph": (1, 5, 11, 12, 15),  # nodes, tensors, inputs, outputs, sparse tensors
    "function": (7, 11),  # nodes, default attributes
    "node": (1, 2, 3, 4, 5),  # inputs, outputs, name, operator, attributes
    "attribute": (5, 6, 10, 11, 22, 23),
    "sparse tensor": (1, 2),  # values, indices
    "tensor": (2, 5, 8, 9, *_ELSEWHERE),  # element type, numbers, name, raw data
    "value": (1, 2),  # name, type
}
# Messages inside messages: {kind: {number of the field: its kind}}.
_INSIDE = {
    "model": {7: "graph", 25: "function"},
    "graph": {1: "node", 5: "tensor", 15: "sparse tensor"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {
        5: "tensor",
        10: "tensor",
        22: "sparse tensor",
        23: "sparse tensor",
        6: "graph",
        11: "graph",
    },
    "sparse tensor": {1: "tensor", 2: "tensor"},
}
_SINGLE = {("model", 7), ("attribute", 5), ("attribute", 6)}  # protobuf would join several of these
_Part = tuple[str, Message]  # kind, fields


def checked_features(content: bytes, where: str) -> int | None:
    """Return the number of features that a model expects; None if it does not specify it.

    Raises
    ------
    DataError
        If the model is damaged, has other inputs and outputs than one matrix of features and one output,
        draws random numbers, or has weights in other files.
    """
    walk = _Walk(where)
    try:
        model = walk.read("model", content)
        walk.check("model", model, {}, 0)
        return walk.n_features(model)
    except DataError:
        raise
    except ValueError as problem:
        raise DataError(f"{where}: not an ONNX model, or damaged: {problem}") from None


class _Walk:
    """A walk through all graphs of a model, and its functions."""

    def __init__(self, where: str) -> None:
        self._where, self._reader = where, Reader()

    def read(self, kind: str, content: int | bytes | memoryview) -> Message:
        return self._reader.read(content, _WANTED.get(kind) or _SHAPES[kind])

    def check(self, kind: str, message: Message, scope: dict[bytes, bool], depth: int) -> None:
        """Check a message and those inside; `scope` is `_constants` of the graph around it."""
        if depth > _MOST_NESTED:
            raise ValueError(f"messages nested more than {_MOST_NESTED} deep")
        if kind == "node":
            self._check_node(message, scope)
        elif kind == "tensor" and any(one in message for one in _ELSEWHERE):
            self._check_tensor(message)
        inside = list(self._inside(kind, message))
        if kind in ("graph", "function"):
            scope = _constants(self._named(inside))
        for kind_inside, one in inside:
            self.check(kind_inside, one, scope, depth + 1)

    def _inside(self, kind: str, message: Message) -> Iterator[_Part]:
        for number, kind_inside in _INSIDE.get(kind, {}).items():
            if (kind, number) in _SINGLE and len(message.get(number, ())) > 1:
                raise ValueError(f"a {kind} with {kind_inside} twice")
            for value in message.get(number, ()):
                yield kind_inside, self.read(kind_inside, value)

    def _check_node(self, node: Message, scope: dict[bytes, bool]) -> None:
        operators = {_shown(one) for one in node.get(4, ())}
        for operator in sorted(operators & RANDOM):
            raise DataError(
                f"{self._where}: the node '{_name(node, 3)}' is {operator}, which draws random numbers; "
                "expected a model that always gives the same scores"
            )
        modes = [bytes(text_of(one)) for one in node.get(1, ())][2:3]
        if "Dropout" in operators and any(mode and not scope.get(mode) for mode in modes):
            raise DataError(
                f"{self._where}: the node '{_name(node, 3)}' is Dropout in training mode, which draws random "
                "numbers; export the model for inference"
            )

    def _check_tensor(self, tensor: Message) -> None:
        if _ELSEWHERE[0] in tensor or tensor[_ELSEWHERE[1]] != [0]:
            raise DataError(
                f"{self._where}: the weights '{_name(tensor, 8)}' are in another file; save the "
                "model as one file"
            )

    def _named(self, inside: list[_Part]) -> Iterator[tuple[bytes, bool]]:
        """Yield (name, whether it is a constant False) of the tensors and results of a graph."""
        for kind, message in inside:
            if kind == "tensor":
                for name in message.get(8, ()):
                    yield bytes(text_of(name)), _is_false(message)
            elif kind == "node":
                attributes = [one for _, one in self._inside(kind, message)]
                tensors = [one for attribute in attributes for _, one in self._inside("attribute", attribute)]
                constant = message.get(4) == [b"Constant"] and len(attributes) == len(tensors) == 1
                for name in message.get(2, ()):
                    yield bytes(text_of(name)), constant and _is_false(tensors[0])

    def n_features(self, model: Message) -> int | None:
        """Check inputs and outputs; return the width of the input."""
        graph = self._merged("graph", model, 7)
        given = [self.read("value", one) for one in graph.get(11, ())]
        weights = {name for name, _ in self._named(list(self._inside("graph", {5: graph.get(5, [])})))}
        given = [one for one in given if _raw_name(one, 1) not in weights]
        made = [self.read("value", one) for one in graph.get(12, ())]
        if len(given) != 1 or len(made) != 1:
            raise DataError(
                f"{self._where}: an ONNX model of {len(given)} inputs and {len(made)} outputs "
                f"({', '.join(_name(one, 1) for one in [*given, *made])}); expected one matrix of features "
                "and one score a document"
            )
        tensor = self._merged("tensor type", self._merged("type", given[0], 2), 1)
        shape = self._merged("shape", tensor, 2).get(1, [])
        element = tensor.get(1, [0])[-1]
        if element not in _FLOATS or len(shape) != 2:
            found = element if isinstance(element, int) else "unknown"
            raise DataError(
                f"{self._where}: the input has element type {found} and {len(shape)} dimensions; expected a "
                "matrix of floats (type 1 or 11, 2 dimensions)"
            )
        width = self.read("dimension", shape[1]).get(1, [None])[-1]
        return width if isinstance(width, int) else None

    def _merged(self, kind: str, message: Message, number: int) -> Message:
        """Return a message inside another; protobuf joins all that there are."""
        return self.read(kind, b"".join(map(text_of, message.get(number, ()))))


def _constants(named: Iterable[tuple[bytes, bool]]) -> dict[bytes, bool]:
    """Return names, and whether everything with the name is a constant False."""
    found: dict[bytes, bool] = {}
    for name, false in named:
        found[name] = found.get(name, True) and false
    return found


def _is_false(tensor: Message) -> bool:
    """Return whether a tensor is a single False: as raw data, or as a number, alone or packed."""
    values = tensor.get(9, []) + tensor.get(5, [])
    return tensor.get(2) == [_BOOL] and values in ([b"\0"], [0])


def _raw_name(message: Message, number: int) -> bytes:
    return bytes(text_of((message.get(number) or [b""])[-1]))


def _name(message: Message, number: int) -> str:
    return _shown(_raw_name(message, number))


def _shown(name: int | bytes | memoryview) -> str:
    return shortened(printable(bytes(text_of(name)).decode("utf-8", "replace")))
