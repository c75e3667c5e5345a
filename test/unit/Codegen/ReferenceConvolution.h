// Convolutions and pooling in double precision, by their definition.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TEST_UNIT_CODEGEN_REFERENCECONVOLUTION_H
#define ATC_TEST_UNIT_CODEGEN_REFERENCECONVOLUTION_H

#include "TemplateRunner.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::atc::test {

/// A convolution with all its attributes; spatial dims in order.
struct ConvolutionCase {
  std::string name;
  int64_t images = 1, channels = 1, outputs = 1, groups = 1;
  std::vector<int64_t> size, kernel, strides, begins, ends, dilations;

  unsigned rank() const { return size.size(); }
  int64_t resultSize(unsigned dim) const {
    int64_t extent = (kernel[dim] - 1) * dilations[dim] + 1;
    return (size[dim] + begins[dim] + ends[dim] - extent) / strides[dim] + 1;
  }
  std::vector<int64_t> resultShape() const {
    std::vector<int64_t> shape = {images, outputs};
    for (unsigned dim = 0; dim < rank(); ++dim)
      shape.push_back(resultSize(dim));
    return shape;
  }
  std::string inputType(const char *element = "f32") const {
    std::string text = std::to_string(images) + "x" + std::to_string(channels);
    return text + "x" + join(size, "x") + "x" + element;
  }
  std::string filterType(const char *element = "f32") const {
    return std::to_string(outputs) + "x" + std::to_string(channels / groups) +
           "x" + join(kernel, "x") + "x" + element;
  }
  std::string resultType(const char *element = "f32") const {
    return "tensor<" + join(resultShape(), "x") + "x" + element + ">";
  }
  /// The op that computes %to from %x0 and %w0.
  std::string text(const std::string &to, const char *element = "f32") const {
    std::vector<int64_t> pads = begins;
    pads.insert(pads.end(), ends.begin(), ends.end());
    return "%" + to + " = graph.conv %x0, %w0 strides [" + join(strides, ", ") +
           "] pads [" + join(pads, ", ") + "] dilations [" +
           join(dilations, ", ") + "] groups " + std::to_string(groups) +
           " : (tensor<" + inputType(element) + ">, tensor<" +
           filterType(element) + ">) -> " + resultType(element) + "\n";
  }

  static std::string join(const std::vector<int64_t> &numbers,
                          const char *separator) {
    std::string text;
    for (int64_t number : numbers)
      text += (text.empty() ? "" : separator) + std::to_string(number);
    return text;
  }
};

inline int64_t productOf(const std::vector<int64_t> &sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

/// Advances `index` within `sizes`; false after the last.
inline bool nextIndex(std::vector<int64_t> &index,
                      const std::vector<int64_t> &sizes) {
  for (size_t dim = sizes.size(); dim-- > 0;) {
    if (++index[dim] < sizes[dim])
      return true;
    index[dim] = 0;
  }
  return false;
}

/// Calls visit(tap number, input offset) for every tap of the window at
/// `point` that lies inside the tensor.
template <typename Visit>
void visitWindow(const ConvolutionCase &conv, const std::vector<int64_t> &point,
                 Visit visit) {
  std::vector<int64_t> tap(conv.rank(), 0);
  int64_t number = 0;
  do {
    int64_t offset = 0;
    bool inside = true;
    for (unsigned dim = 0; dim < conv.rank(); ++dim) {
      int64_t at = point[dim] * conv.strides[dim] +
                   tap[dim] * conv.dilations[dim] - conv.begins[dim];
      inside &= at >= 0 && at < conv.size[dim];
      offset = offset * conv.size[dim] + at;
    }
    if (inside)
      visit(number, offset);
    ++number;
  } while (nextIndex(tap, conv.kernel));
}

inline Elements convolve(const ConvolutionCase &conv, const Elements &input,
                         const Elements &filter) {
  Elements result;
  int64_t pixels = productOf(conv.size), taps = productOf(conv.kernel);
  int64_t perGroup = conv.channels / conv.groups;
  int64_t outputsPerGroup = conv.outputs / conv.groups;
  std::vector<int64_t> places = conv.resultShape();
  places.erase(places.begin(), places.begin() + 2);
  for (int64_t n = 0; n < conv.images; ++n)
    for (int64_t o = 0; o < conv.outputs; ++o) {
      std::vector<int64_t> point(conv.rank(), 0);
      do {
        double sum = 0;
        for (int64_t i = 0; i < perGroup; ++i) {
          int64_t channel = o / outputsPerGroup * perGroup + i;
          const double *plane =
              input.data() + (n * conv.channels + channel) * pixels;
          const double *kernel = filter.data() + (o * perGroup + i) * taps;
          visitWindow(conv, point, [&](int64_t tap, int64_t offset) {
            sum += plane[offset] * kernel[tap];
          });
        }
        result.push_back(sum);
      } while (nextIndex(point, places));
    }
  return result;
}

} // namespace mlir::atc::test

#endif // ATC_TEST_UNIT_CODEGEN_REFERENCECONVOLUTION_H
