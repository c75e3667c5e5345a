"""Import the models that a test file describes and print their IR.

    import_onnx.py TOOL FILE [OPTION...]
    import_onnx.py --write FILE FOLDER    (writes them as FOLDER/<title>.onnx)

A model is written in a part of ONNX's textual syntax, so that tests need no
protobuf:

    --- a title
    <ir_version: 8, opset_import: ["" : 13]>
    g (float[N, 3] x) => (float[N, 3] y) <float[3] w = {1, 2, 3}> {
      [node name] y = Add (x, w)
    }

Beyond that syntax: `""` is an omitted input, names may be quoted, `{iota}` are
the numbers 0, 1, ... as raw data. Lines that start with # are comments. For
each model the title is printed, then what TOOL --import-onnx prints, errors
included.
SPDX-License-Identifier: Apache-2.0
"""

import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

TYPES = {
    "float": 1,
    "uint8": 2,
    "int8": 3,
    "uint16": 4,
    "int16": 5,
    "int32": 6,
    "int64": 7,
    "string": 8,
    "bool": 9,
    "float16": 10,
    "double": 11,
    "uint32": 12,
    "uint64": 13,
    "bfloat16": 16,
    "int4": 22,
}
FORMATS = {
    1: "f",
    2: "B",
    3: "b",
    4: "H",
    5: "h",
    6: "i",
    7: "q",
    9: "?",
    10: "e",
    11: "d",
    12: "I",
    13: "Q",
}
TOKEN = re.compile(
    r'\s*("(?:[^"\\]|\\.)*"|=>|[-+]?[0-9.][-+0-9.eE]*|[A-Za-z_][\w.]*|\S)'
)


# The wire format.
def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


class Parser:
    def __init__(self, text):
        self.tokens = TOKEN.findall(text)
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, *tokens):
        token = self.next()
        if token not in tokens:
            around = " ".join(self.tokens[max(0, self.at - 6) : self.at + 4])
            raise SyntaxError(f"expected {tokens}, got {token!r} near: {around}")
        return token

    def accept(self, token):
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def list(self, item, close):
        items = []
        while not self.accept(close):
            items.append(item())
            if self.peek() != close:
                self.expect(",")
        return items

    def name(self):
        token = self.next()
        return token[1:-1] if token.startswith('"') else token

    def scalar(self):
        token = self.next()
        if token.startswith('"'):
            return token[1:-1]
        if token in ("true", "false"):
            return token == "true"
        return float(token) if re.search(r"[.eEn]", token) else int(token)

    # Types and tensors.
    def type(self):
        """Element type and shape: a list, [] for a scalar, None if unknown."""
        element = TYPES[self.next()]
        if not self.accept("["):
            return element, []
        if self.accept("]"):
            return element, None
        return element, self.list(self.next, "]")

    def value_info(self):
        element, shape = self.type()
        body = number(1, element)
        if shape is not None:
            dims = b""
            for dim in shape:
                known = re.fullmatch(r"-?\d+", dim)
                dims += data(
                    1,
                    number(1, int(dim))
                    if known
                    else b""
                    if dim == "?"
                    else data(2, dim),
                )
            body += data(2, dims)
        return data(1, self.name()) + data(2, data(1, body))

    def tensor(self, element, shape):
        dims = [int(dim) for dim in shape]
        body = b"".join(number(1, dim) for dim in dims) + number(2, element)
        self.expect("{")
        if self.accept("iota"):
            self.expect("}")
            count = 1
            for dim in dims:
                count *= dim
            values = range(count)
        else:
            values = self.list(self.scalar, "}")
        values = [
            value if FORMATS[element] in "fed" else int(value) for value in values
        ]
        return body + data(9, struct.pack(f"<{len(values)}{FORMATS[element]}", *values))

    def initializer(self):
        element, shape = self.type()
        name = self.name()
        self.expect("=")
        return self.tensor(element, shape) + data(8, name)

    # Nodes.
    def attribute(self):
        body = data(1, self.name())
        kind = self.name() if self.accept(":") else None
        self.expect("=")
        token = self.peek()
        if token in TYPES:
            return body + number(20, 4) + data(5, self.tensor(*self.type()))
        if self.accept("["):
            values = self.list(self.scalar, "]")
            if kind == "floats" or any(isinstance(value, float) for value in values):
                packed = b"".join(struct.pack("<f", value) for value in values)
                return body + number(20, 6) + data(7, packed)
            return body + number(20, 7) + b"".join(number(8, value) for value in values)
        value = self.scalar()
        if isinstance(value, str):
            return body + number(20, 3) + data(4, value)
        if isinstance(value, float):
            return body + number(20, 1) + varint(2 << 3 | 5) + struct.pack("<f", value)
        return body + number(20, 2) + number(3, value)

    def node(self):
        body = b""
        if self.accept("["):
            words = []
            while not self.accept("]"):
                words.append(self.next())
            body += data(3, " ".join(words))
        outputs = [self.name()]
        while self.accept(","):
            outputs.append(self.name())
        self.expect("=")
        domain, _, op = self.name().rpartition(".")
        if self.accept("<"):
            body += b"".join(
                data(5, attribute) for attribute in self.list(self.attribute, ">")
            )
        self.expect("(")
        for value in self.list(self.name, ")"):
            body += data(1, value)
        body += b"".join(data(2, output) for output in outputs)
        return body + data(4, op) + (data(7, domain) if domain else b"")

    def graph(self):
        body = data(2, self.name())
        self.expect("(")
        body += b"".join(data(11, info) for info in self.list(self.value_info, ")"))
        self.expect("=>")
        self.expect("(")
        body += b"".join(data(12, info) for info in self.list(self.value_info, ")"))
        if self.accept("<"):
            body += b"".join(
                data(5, tensor) for tensor in self.list(self.initializer, ">")
            )
        self.expect("{")
        while not self.accept("}"):
            body += data(1, self.node())
        return body

    def model(self):
        ir_version, opsets = 8, {}
        self.expect("<")
        while not self.accept(">"):
            key = self.next()
            self.expect(":")
            if key == "ir_version":
                ir_version = int(self.next())
            else:
                self.expect("[")

                def opset():
                    domain = self.name()
                    self.expect(":")
                    return domain, int(self.next())

                opsets = dict(self.list(opset, "]"))
            self.accept(",")
        body = number(1, ir_version)
        for domain, version in opsets.items():
            body += data(8, (data(1, domain) if domain else b"") + number(2, version))
        return body + data(7, self.graph())


def models(path):
    """The models that a test file describes: title and bytes."""
    text = "\n".join(
        line for line in Path(path).read_text().split("\n") if not line.startswith("#")
    )
    for section in re.split(r"^--- ", text, flags=re.M)[1:]:
        title, _, model = section.partition("\n")
        yield title, Parser(model).model()


def print_models(tool, path, *options):
    for title, content in models(path):
        print("//", title, flush=True)
        with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
            file.write(content)
            file.flush()
            subprocess.run(
                [tool, "--import-onnx", file.name, *options],
                stderr=subprocess.STDOUT,
                check=False,
            )


def write_models(path, folder):
    shutil.rmtree(folder, ignore_errors=True)
    Path(folder).mkdir(parents=True)
    for title, content in models(path):
        (Path(folder) / f"{title}.onnx").write_bytes(content)


if __name__ == "__main__":
    if sys.argv[1] == "--write":
        write_models(*sys.argv[2:])
    else:
        print_models(*sys.argv[1:])
