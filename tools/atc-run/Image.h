// Pictures as inputs of models.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TOOLS_ATC_RUN_IMAGE_H
#define ATC_TOOLS_ATC_RUN_IMAGE_H

#include "HostArray.h"

#include <array>

namespace atc::run {

/// Pixels in rows, three bytes each: red, green, blue.
struct Picture {
  int64_t width = 0, height = 0;
  std::vector<uint8_t> pixels;
};

/// Decodes a PNG or JPEG file; transparency is dropped. Fails with
/// MalformedArray.
Expected<Picture> decodePicture(const uint8_t *data, uint64_t size);

/// Resizes with a triangle filter as wide as the reduction demands, in 8-bit
/// steps: the bilinear resampling of Pillow.
Picture resizePicture(const Picture &picture, int64_t width, int64_t height);

/// What `--image NAME=FILE,key=value,...` asks for.
struct ImageOptions {
  enum class Fit { Stretch, Pad };
  enum class Channels { Rgb, Bgr, Gray };
  enum class Layout { Nchw, Nhwc };

  std::string file;
  /// 0: the model's.
  int64_t height = 0, width = 0;
  Fit fit = Fit::Stretch;
  Channels channels = Channels::Rgb;
  Layout layout = Layout::Nchw;
  double scale = 1;
  /// One value for all channels or one for each.
  std::vector<double> mean = {0}, std = {1};
};

/// Parses "FILE,size=HxW,fit=...,..."; fails with InvalidOptionValue.
Expected<ImageOptions> parseImageOptions(const std::string &text);

/// y = (x * scale - mean) / std for each channel of the picture, brought to the
/// input's size. `sizes` has -1 where the input is open; its other sizes must
/// be 1 for the batch and the count of channels. Fit::Pad keeps the proportions
/// and fills the right and lower rest with zero pixels. Integer element types
/// are rounded and clamped.
Expected<HostArray> makeImageInput(const Picture &picture,
                                   const ImageOptions &options,
                                   ElementType type,
                                   const std::vector<int64_t> &sizes);

} // namespace atc::run

#endif // ATC_TOOLS_ATC_RUN_IMAGE_H
