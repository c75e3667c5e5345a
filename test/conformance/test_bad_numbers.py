"""Numbers that are wrong or extreme are refused in order, or compile to a file
that runs or refuses in order.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import pytest
from harness import hostile_models, process
from harness.hostile_models import ORDERLY, RUNS
from harness.refusal import assert_orderly, assert_refused

# Address space; the larger sizes must fail here on every machine.
MEMORY = 12 << 30
LIMIT_SECONDS = 240


def limited(*command) -> process.Completed:
    words = ["prlimit", f"--as={MEMORY}", *command]
    return process.run(words, LIMIT_SECONDS, watch_memory=True)


@pytest.mark.parametrize("name", hostile_models.CASES)
def test_hostile_model(bench, name):
    case = hostile_models.CASES[name]
    model = bench.model(case.build())
    compiled = limited(*bench.tools.compile_command(model, bench.om))
    if compiled.code != 0:
        assert case.outcome == ORDERLY or case.outcome.startswith("E")
        code = None if case.outcome == ORDERLY else case.outcome
        assert_refused(compiled, bench.outputs, code)
        return
    assert case.outcome == ORDERLY or not case.outcome.startswith("E")
    ran = limited(bench.tools.tool("atc-run"), bench.om, "--quiet")
    assert_orderly(ran)
    if case.outcome == RUNS:
        assert ran.code == 0, ran.text[-2000:]
    elif case.outcome != ORDERLY:
        assert_refused(ran, code=case.outcome.removeprefix("run:"))
