"""What the conformance, model and benchmark drivers share.

SPDX-License-Identifier: Apache-2.0
"""
