"""Rewrite lib/Frontend/Onnx/OperatorVersions.def from the installed onnx package.

The table tells, for every operator of the ai.onnx domain, the operator sets in
which its definition changed. Run it when a new release of ONNX is taken up.
SPDX-License-Identifier: Apache-2.0
"""

import collections
import pathlib

import onnx

TARGET = pathlib.Path(__file__).parent.parent / "lib/Frontend/Onnx/OperatorVersions.def"


def main():
    versions = collections.defaultdict(list)
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain == "":
            versions[schema.name].append(schema.since_version)
    lines = [
        "// Operators of the ai.onnx domain and the operator sets in which their",
        f"// definition changed, as of ONNX {onnx.__version__} "
        f"(operator set {onnx.defs.onnx_opset_version()}).",
        "// Written by scripts/update-onnx-operators.py.",
        "// SPDX-License-Identifier: Apache-2.0",
        "#ifndef ATC_ONNX_OPERATOR",
        '#error "define ATC_ONNX_OPERATOR(NAME, VERSIONS...)"',
        "#endif",
        f"ATC_ONNX_NEWEST_OPSET({onnx.defs.onnx_opset_version()})",
    ]
    for name in sorted(versions):
        since = ", ".join(str(version) for version in sorted(versions[name]))
        lines.append(f"ATC_ONNX_OPERATOR({name}, {since})")
    lines += ["#undef ATC_ONNX_OPERATOR", "#undef ATC_ONNX_NEWEST_OPSET", ""]
    TARGET.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
