// Feeds bytes to the readers of atc-run's input files.
// SPDX-License-Identifier: Apache-2.0
#include "ArrayFile.h"
#include "Image.h"

using namespace atc;
using namespace atc::run;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  (void)parseNpy(data, size, ElementType::F32);
  (void)parseNpy(data, size, ElementType::I4);
  (void)parseTensorProto(data, size);
  if (Expected<Picture> picture = decodePicture(data, size);
      picture && picture->width * picture->height < 1 << 16)
    (void)resizePicture(*picture, 7, 5);
  return 0;
}
