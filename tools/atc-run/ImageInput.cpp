// From pixels to a model's input.
// SPDX-License-Identifier: Apache-2.0
#include "Image.h"

#include "atc/Support/Float16.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace atc::run {

//===----------------------------------------------------------------------===//
// Resizing
//===----------------------------------------------------------------------===//

namespace {
/// The pixels of the source that make one of the result, with weights in units
/// of 2^-22.
struct Window {
  int64_t begin = 0;
  std::vector<int32_t> weights;
};
} // namespace

static constexpr int weightBits = 22;

static std::vector<Window> makeWindows(int64_t from, int64_t to) {
  double scale = static_cast<double>(from) / to;
  double reach = std::max(scale, 1.0);
  std::vector<Window> windows(to);
  std::vector<double> weights;
  for (int64_t i = 0; i < to; ++i) {
    double center = (i + 0.5) * scale;
    int64_t begin =
        std::max<int64_t>(0, static_cast<int64_t>(center - reach + 0.5));
    int64_t end =
        std::min<int64_t>(from, static_cast<int64_t>(center + reach + 0.5));
    weights.clear();
    double sum = 0;
    for (int64_t x = begin; x < end; ++x) {
      double distance = std::fabs((x - center + 0.5) / reach);
      weights.push_back(std::max(0.0, 1.0 - distance));
      sum += weights.back();
    }
    windows[i].begin = begin;
    for (double weight : weights)
      windows[i].weights.push_back(
          static_cast<int32_t>(weight / sum * (1 << weightBits) + 0.5));
  }
  return windows;
}

/// Resizes along one direction: `count` lines of `from` pixels, with the given
/// distances in bytes between pixels and lines in both pictures.
static void resizeLines(const std::vector<Window> &windows, int64_t count,
                        const uint8_t *source, int64_t sourcePixel,
                        int64_t sourceLine, uint8_t *target,
                        int64_t targetPixel, int64_t targetLine) {
  for (int64_t line = 0; line < count; ++line)
    for (size_t i = 0; i < windows.size(); ++i) {
      const Window &window = windows[i];
      for (int channel = 0; channel < 3; ++channel) {
        const uint8_t *pixel =
            source + line * sourceLine + window.begin * sourcePixel + channel;
        int64_t sum = int64_t(1) << (weightBits - 1);
        for (int32_t weight : window.weights) {
          sum += int64_t(weight) * *pixel;
          pixel += sourcePixel;
        }
        target[line * targetLine + i * targetPixel + channel] =
            static_cast<uint8_t>(
                std::clamp<int64_t>(sum >> weightBits, 0, 255));
      }
    }
}

Picture resizePicture(const Picture &picture, int64_t width, int64_t height) {
  Picture wide = picture;
  if (width != picture.width) {
    wide = {width, picture.height, {}};
    wide.pixels.resize(3 * width * picture.height);
    resizeLines(makeWindows(picture.width, width), picture.height,
                picture.pixels.data(), 3, 3 * picture.width, wide.pixels.data(),
                3, 3 * width);
  }
  if (height == wide.height)
    return wide;
  Picture result{width, height, {}};
  result.pixels.resize(3 * width * height);
  // Columns are lines too: a pixel further is a row further.
  resizeLines(makeWindows(wide.height, height), width, wide.pixels.data(),
              3 * width, 3, result.pixels.data(), 3 * width, 3);
  return result;
}

static Picture fitPicture(const Picture &picture, const ImageOptions &options,
                          int64_t width, int64_t height) {
  if (options.fit == ImageOptions::Fit::Stretch)
    return resizePicture(picture, width, height);
  double ratio =
      std::min(double(width) / picture.width, double(height) / picture.height);
  auto inner = [ratio](int64_t size, int64_t limit) {
    return std::clamp<int64_t>(std::llround(size * ratio), 1, limit);
  };
  Picture small = resizePicture(picture, inner(picture.width, width),
                                inner(picture.height, height));
  Picture result{width, height, std::vector<uint8_t>(3 * width * height)};
  for (int64_t row = 0; row < small.height; ++row)
    std::memcpy(&result.pixels[3 * width * row],
                &small.pixels[3 * small.width * row], 3 * small.width);
  return result;
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

namespace {
/// Where an image stands in the sizes of an input.
struct ImageDims {
  size_t batch, channel, height, width;
};
} // namespace

static ImageDims imageDims(ImageOptions::Layout layout, size_t rank) {
  size_t first = rank - 3;
  return layout == ImageOptions::Layout::Nchw
             ? ImageDims{0, first, first + 1, first + 2}
             : ImageDims{0, first + 2, first, first + 1};
}

/// The shape of the input for this picture.
static Expected<std::vector<int64_t>>
imageShape(const Picture &picture, const ImageOptions &options,
           const std::vector<int64_t> &sizes, int64_t channels) {
  auto mismatch = [&](const std::string &reason) {
    return Status::error(ErrorCode::InvalidInput,
                         "an image does not fit the input's shape " +
                             shapeText(sizes) + ": " + reason);
  };
  if (sizes.size() != 3 && sizes.size() != 4)
    return mismatch("expects three or four dims");
  ImageDims dims = imageDims(options.layout, sizes.size());
  std::vector<int64_t> shape = sizes;
  auto settle = [&](size_t dim, int64_t size) {
    if (shape[dim] == -1)
      shape[dim] = size;
    return shape[dim] == size;
  };
  if (sizes.size() == 4 && !settle(dims.batch, 1))
    return mismatch("one picture is a batch of 1");
  if (!settle(dims.channel, channels))
    return mismatch(fmt::format(
        "the picture has {} channels in layout {}", channels,
        options.layout == ImageOptions::Layout::Nchw ? "nchw" : "nhwc"));
  // Without size=, the model's size, and where that is open, the picture's.
  int64_t height = options.height             ? options.height
                   : shape[dims.height] == -1 ? picture.height
                                              : shape[dims.height];
  int64_t width = options.width             ? options.width
                  : shape[dims.width] == -1 ? picture.width
                                            : shape[dims.width];
  if (!settle(dims.height, height) || !settle(dims.width, width))
    return mismatch(fmt::format("the picture is {}x{}", height, width));
  return shape;
}

/// One value of the result in the input's type.
static bool storeValue(ElementType type, uint8_t *to, float value) {
  switch (type) {
  case ElementType::F32:
    std::memcpy(to, &value, 4);
    return true;
  case ElementType::F16: {
    uint16_t half = floatToHalf(value);
    std::memcpy(to, &half, 2);
    return true;
  }
  case ElementType::BF16: {
    uint16_t bfloat = floatToBfloat(value);
    std::memcpy(to, &bfloat, 2);
    return true;
  }
  case ElementType::U8:
    *to = static_cast<uint8_t>(std::clamp(std::nearbyint(value), 0.0f, 255.0f));
    return true;
  case ElementType::I8:
    *to = static_cast<uint8_t>(static_cast<int8_t>(
        std::clamp(std::nearbyint(value), -128.0f, 127.0f)));
    return true;
  default:
    return false;
  }
}

Expected<HostArray> makeImageInput(const Picture &picture,
                                   const ImageOptions &options,
                                   ElementType type,
                                   const std::vector<int64_t> &sizes) {
  bool isGray = options.channels == ImageOptions::Channels::Gray;
  int64_t channels = isGray ? 1 : 3;
  Expected<std::vector<int64_t>> shape =
      imageShape(picture, options, sizes, channels);
  if (!shape)
    return shape.getDiagnostic();
  uint8_t probe[8];
  if (!storeValue(type, probe, 0))
    return Status::error(ErrorCode::InvalidInput,
                         "an image cannot be an input of type " +
                             std::string(elementTypeInfo(type).text));
  ImageDims dims = imageDims(options.layout, shape->size());
  int64_t height = (*shape)[dims.height], width = (*shape)[dims.width];
  Picture fitted = fitPicture(picture, options, width, height);

  HostArray array{type, *shape, {}};
  unsigned bytes = elementTypeInfo(type).bits / 8;
  array.bytes.resize(channels * height * width * bytes);
  bool isNchw = options.layout == ImageOptions::Layout::Nchw;
  for (int64_t c = 0; c < channels; ++c) {
    float scale = static_cast<float>(options.scale);
    float mean =
        static_cast<float>(options.mean[options.mean.size() == 1 ? 0 : c]);
    float deviation =
        static_cast<float>(options.std[options.std.size() == 1 ? 0 : c]);
    int64_t source =
        options.channels == ImageOptions::Channels::Bgr ? 2 - c : c;
    for (int64_t i = 0; i < height * width; ++i) {
      const uint8_t *pixel = &fitted.pixels[3 * i];
      // Luma of Rec. 601 in 16-bit fixed point.
      unsigned x = isGray ? (pixel[0] * 19595u + pixel[1] * 38470u +
                             pixel[2] * 7471u + 0x8000u) >>
                                16
                          : pixel[source];
      int64_t to = isNchw ? c * height * width + i : i * channels + c;
      storeValue(type, &array.bytes[to * bytes],
                 (static_cast<float>(x) * scale - mean) / deviation);
    }
  }
  return array;
}

} // namespace atc::run
