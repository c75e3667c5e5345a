// Owns the precompiled header; holds no code.
// SPDX-License-Identifier: Apache-2.0
