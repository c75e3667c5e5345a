"""Speed of compiled models beside other engines.

SPDX-License-Identifier: Apache-2.0
"""
