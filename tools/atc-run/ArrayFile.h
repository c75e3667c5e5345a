// Array files: NumPy's .npy, ONNX's TensorProto, raw bytes.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TOOLS_ATC_RUN_ARRAYFILE_H
#define ATC_TOOLS_ATC_RUN_ARRAYFILE_H

#include "HostArray.h"

namespace atc::run {

/// Parses a .npy file of version 1 to 3, in C or Fortran order. `wanted` tells
/// apart types that NumPy has no descriptor for: their files hold raw bits, one
/// element of a type below a byte in a byte of its own. Fails with
/// MalformedArray.
Expected<HostArray> parseNpy(const uint8_t *data, uint64_t size,
                             ElementType wanted);

/// The inverse: version 1 or 2, C order.
std::string serializeNpy(const HostArray &array);

/// Parses a serialized ONNX TensorProto; external data and strings are refused.
/// Fails with MalformedArray.
Expected<HostArray> parseTensorProto(const uint8_t *data, uint64_t size);

/// Reads a file by its extension: .npy, .pb, anything else as raw bytes of the
/// given shape. Shapes and types of the former two are the file's own.
Expected<HostArray> readArrayFile(const std::string &path, ElementType wanted,
                                  const std::vector<int64_t> &rawShape);

} // namespace atc::run

#endif // ATC_TOOLS_ATC_RUN_ARRAYFILE_H
