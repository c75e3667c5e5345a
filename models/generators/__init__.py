"""Generators of models that no package ships: random weights, real architectures.

SPDX-License-Identifier: Apache-2.0
"""
