# Configuration of the IR tests.
# SPDX-License-Identifier: Apache-2.0
import glob
import os
import pty
import sys

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "OpenATC"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "lit.cfg.py"]
config.test_source_root = os.path.dirname(__file__)

# A variable of one function never matches in another.
config.environment["FILECHECK_OPTS"] = "-enable-var-scope"

# One directory per tool, e.g. tools/atc-opt/atc-opt.
tool_dirs = sorted(glob.glob(os.path.join(config.atc_tools_dir, "*")))
tool_dirs += [config.atc_tools_dir, config.llvm_tools_dir]
tools = ["atc-opt"] + [
    ToolSubst(name, unresolved="ignore")
    for name in (
        "atc",
        "atc-lsp-server",
        "atc-reduce",
        "atc-translate",
        "atc-run",
        "atc-objdump",
        "atc-print-tables",
        "llvm-objdump",
        "llvm-readelf",
        "split-file",
    )
]
llvm_config.use_default_substitutions()
# `not` is a program of LLVM; the shell knows none.
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.add_tool_substitutions(tools, tool_dirs)
config.substitutions.append(("%source_dir", config.atc_source_dir))
config.substitutions.append(("%binary_dir", config.atc_binary_dir))
config.substitutions.append(("%python", f'"{sys.executable}"'))

# Some containers give no terminals.
try:
    for descriptor in pty.openpty():
        os.close(descriptor)
    config.available_features.add("terminal")
except OSError:
    pass
