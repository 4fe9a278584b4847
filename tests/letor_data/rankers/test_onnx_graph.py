"""ONNX models that draw random numbers, read other files, or are damaged are refused before they are run."""

import random

import numpy as np
import pytest

from rankduel.base.errors import DataError
from rankduel.letor_data.rankers import protobuf
from rankduel.letor_data.rankers.onnx_graph import RANDOM, checked_features

onnx = pytest.importorskip("onnx")
helper, FLOAT, BOOL = onnx.helper, onnx.TensorProto.FLOAT, onnx.TensorProto.BOOL


def graph(nodes, weights=(), width=4):
    """Return a graph from 'x' to 'y'."""
    x = helper.make_tensor_value_info("x", FLOAT, [None, width])
    y = helper.make_tensor_value_info("y", FLOAT, None)
    return helper.make_graph(nodes, "g", [x], [y], list(weights))


def checked(whole, functions=()):
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    model = helper.make_model(whole, opset_imports=opsets, functions=list(functions))
    return checked_features(model.SerializeToString(), "m.onnx")


def branching(node):
    """Return a graph with a node inside the branches of an If inside the branches of another."""
    inside = [node]
    for depth in range(2):
        out = helper.make_tensor_value_info(inside[-1].output[0], FLOAT, None)
        branch = helper.make_graph(inside, f"branch{depth}", [], [out])
        name = f"out{depth}"
        inside = [helper.make_node("If", ["yes"], [name], then_branch=branch, else_branch=branch)]
    last = helper.make_node("Identity", ["out1"], ["y"])
    return graph([*inside, last], [helper.make_tensor("yes", BOOL, [], [True])])


@pytest.mark.parametrize(("width", "n"), [(4, 4), (None, None), ("columns", None), (0, 0)])
def test_the_width_of_the_input_is_the_number_of_features(width, n):
    assert checked(graph([helper.make_node("Identity", ["x"], ["y"])], width=width)) == n


def test_weights_may_be_listed_as_inputs():
    whole = graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])], [helper.make_tensor("w", FLOAT, [4, 1], [1] * 4)]
    )
    whole.input.append(helper.make_tensor_value_info("w", FLOAT, [4, 1]))
    assert checked(whole) == 4


@pytest.mark.parametrize("operator", sorted(RANDOM))
def test_random_operators_are_refused_wherever_they_are(operator):
    node = helper.make_node(operator, ["x"], ["y"], name="n")
    inner = helper.make_node(operator, ["x"], ["z"], name="n")
    function = helper.make_function("own", "F", ["a"], ["z"], [inner], [helper.make_opsetid("", 17)])
    call = helper.make_node("F", ["x"], ["y"], domain="own")
    for whole, functions in ((graph([node]), []), (branching(inner), []), (graph([call]), [function])):
        with pytest.raises(
            DataError, match=f"m.onnx: the node 'n' is {operator}, which draws random numbers"
        ):
            checked(whole, functions)


def constant(value):
    return helper.make_node("Constant", [], ["mode"], value=helper.make_tensor("mode", BOOL, [], [value]))


@pytest.mark.parametrize("mode", ["absent", "empty", "weight", "raw", "constant"])
def test_dropout_that_drops_nothing_is_accepted(mode):
    raw = onnx.numpy_helper.from_array(np.array(False), "mode")
    weights = {"weight": [helper.make_tensor("mode", BOOL, [], [False])], "raw": [raw]}.get(mode, [])
    inputs = ["x", "", {"absent": "", "empty": ""}.get(mode, "mode")][: 1 if mode == "absent" else 3]
    nodes = [constant(False)] if mode == "constant" else []
    assert checked(graph([*nodes, helper.make_node("Dropout", inputs, ["y"])], weights)) == 4


FALSE = helper.make_tensor("mode", BOOL, [], [False])
TRUE = helper.make_tensor("mode", BOOL, [], [True])
COMPUTED = helper.make_node("Not", ["other"], ["mode"])


@pytest.mark.parametrize(
    ("nodes", "weights"),
    [
        ([], [TRUE]),
        ([constant(True)], []),
        ([COMPUTED], []),
        ([constant(False)], [TRUE]),
        ([COMPUTED], [FALSE]),
        ([], [FALSE, TRUE]),
        ([], []),
    ],
)
def test_dropout_in_training_mode_is_refused(nodes, weights):
    node = helper.make_node("Dropout", ["x", "", "mode"], ["y"], name="n")
    with pytest.raises(DataError, match="m.onnx: the node 'n' is Dropout in training mode"):
        checked(graph([*nodes, node], weights))
    with pytest.raises(DataError, match="m.onnx: the node 'n' is Dropout in training mode"):
        checked(branching(helper.make_node("Dropout", ["x", "", "mode"], ["z"], name="n")))


def test_weights_in_another_file_are_refused():
    weight = onnx.numpy_helper.from_array(np.ones((4, 1), np.float32), "w\x1b")
    onnx.external_data_helper.set_external_data(weight, "../secret")
    with pytest.raises(
        DataError, match=r"m.onnx: the weights 'w\\x1b' are in another file; save the model as one"
    ):
        checked(graph([helper.make_node("MatMul", ["x", "w\x1b"], ["y"])], [weight]))
    node = helper.make_node("Constant", [], ["y"], value=weight)
    with pytest.raises(DataError, match="are in another file"):
        checked(graph([node]))


def test_another_type_of_input_is_refused():
    whole = graph([helper.make_node("Identity", ["x"], ["y"])])
    whole.input[0].type.tensor_type.elem_type = onnx.TensorProto.INT64
    with pytest.raises(
        DataError, match="the input has element type 7 and 2 dimensions; expected a matrix of floats"
    ):
        checked(whole)


def test_parts_that_would_be_joined_are_refused():
    """A second graph could say that training mode is on."""
    model = helper.make_model(graph([helper.make_node("Identity", ["x"], ["y"])])).SerializeToString()
    with pytest.raises(DataError, match="m.onnx: not an ONNX model, or damaged: a model with graph twice"):
        checked_features(model + model, "m.onnx")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "an ONNX model of 0 inputs and 0 outputs"),
        (b"no model", "damaged: "),
        (b"\x3a\xff\xff\xff\xff\x0f", "damaged: it ends within a field"),
        (b"\x3a\xff", "damaged: it ends within a number"),
        (b"\x80" * 20, "damaged: a number of more than 10 bytes"),
        (b"\x3b", "damaged: a field of wire type 3"),
        (b"\x38\x01", "damaged: a number in place of text"),
    ],
)
def test_damaged_messages_are_refused(content, told):
    with pytest.raises(DataError, match=f"m.onnx: .*{told}"):
        checked_features(content, "m.onnx")


def test_deep_and_long_models_are_refused(monkeypatch):
    nested = b""
    for _ in range(500):  # an attribute with a graph with a node with an attribute
        nested = wrapped(6, wrapped(1, wrapped(5, nested)))
    with pytest.raises(DataError, match="nested more than 100 deep"):
        checked_features(wrapped(7, wrapped(1, wrapped(5, nested))), "m.onnx")
    for limit in ("MOST_FIELDS", "MOST_KEPT"):
        with monkeypatch.context() as patched:
            patched.setattr(protobuf, limit, 10)
            with pytest.raises(DataError, match="it has too many parts"):
                checked_features(wrapped(7, wrapped(1, b"") * 20), "m.onnx")


def wrapped(number, content):
    size, digits = len(content), b""
    while size > 127:
        digits += bytes([size & 127 | 128])
        size >>= 7
    return bytes([number << 3 | 2]) + digits + bytes([size]) + content


def test_random_bytes_are_refused_with_the_file():
    whole = bytearray(helper.make_model(branching(helper.make_node("Abs", ["x"], ["z"]))).SerializeToString())
    for seed in range(2000):
        rng = random.Random(seed)
        damaged = bytearray(whole)
        for _ in range(rng.randrange(1, 4)):
            damaged[rng.randrange(len(whole))] = rng.randrange(256)
        try:
            checked_features(bytes(damaged), "m.onnx")
        except DataError as problem:
            assert str(problem).startswith("m.onnx: ")
