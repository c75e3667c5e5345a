// A kernel over open sizes, compared with kernels made for each size.
// SPDX-License-Identifier: Apache-2.0
#include "OpenKernel.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>

using namespace mlir::atc::test;

namespace {

using Sizes = std::vector<int64_t>;

/// Replaces `$a`, `$b`, ... by what `name` gives for their number.
template <typename Name>
std::string replaceSizes(std::string text, Name name) {
  for (size_t at = 0; (at = text.find('$', at)) != std::string::npos;)
    text.replace(at, 2, name(text[at + 1] - 'a'));
  return text;
}

std::string withSizes(const std::string &text, const Sizes &sizes) {
  return replaceSizes(text, [&](size_t i) { return std::to_string(sizes[i]); });
}

std::string withOpenSizes(const std::string &text) {
  return replaceSizes(text, [](size_t) { return std::string("?"); });
}

/// The sizes in "2x$ax4xf32", each as text.
std::vector<std::string> sizesOf(const std::string &type) {
  std::vector<std::string> result;
  size_t at = 0;
  while (at < type.size() && (isdigit(type[at]) || type[at] == '$')) {
    size_t end = type.find('x', at);
    // The element type may begin with a digit-free name only.
    if (end == std::string::npos)
      break;
    result.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return result;
}

/// The map of a type's sizes, over `count` symbols.
std::string mapOf(const std::string &type, size_t count) {
  std::string symbols, list;
  for (size_t i = 0; i < count; ++i)
    symbols += (i ? ", s" : "s") + std::to_string(i);
  for (const std::string &size : sizesOf(type))
    list += (list.empty() ? "" : ", ") +
            (size[0] == '$' ? "s" + std::to_string(size[1] - 'a') : size);
  return "affine_map<()[" + symbols + "] -> (" + list + ")>";
}

/// What stands in the last "tensor<...>" of a line.
std::string lastType(const std::string &line) {
  size_t begin = line.rfind("tensor<") + 7;
  return line.substr(begin, line.find_first_of(",>", begin) - begin);
}

/// Adds `graph.sizes` to ops with open results, one op per line.
std::string annotate(const std::string &body, size_t count) {
  std::string result;
  for (size_t at = 0; at < body.size();) {
    size_t end = std::min(body.find('\n', at), body.size());
    std::string line = body.substr(at, end - at);
    std::string type =
        line.find("tensor<") == std::string::npos ? "" : lastType(line);
    size_t colon = line.find(" : (");
    if (type.find('$') != std::string::npos && colon != std::string::npos)
      line.insert(colon, " {graph.sizes = [" + mapOf(type, count) + "]}");
    result += line + "\n";
    at = end + 1;
  }
  return result;
}

TemplateRunner::Region openRegion(const OpenKernel &kernel, size_t count) {
  TemplateRunner::Region region;
  std::string shapes;
  for (const std::string &type : kernel.operands) {
    region.operands.push_back(withOpenSizes(type));
    shapes += mapOf(type, count) + ", ";
  }
  for (const std::string &type : kernel.constants) {
    region.constants.push_back(type);
    shapes += mapOf(type, count) + ", ";
  }
  region.body = withOpenSizes(annotate(kernel.body, count));
  region.yielded = kernel.yielded;
  region.yieldedType = withOpenSizes(kernel.yieldedType);
  region.shapes = shapes + mapOf(lastType(kernel.yieldedType), count);
  return region;
}

TemplateRunner::Region staticRegion(const OpenKernel &kernel,
                                    const Sizes &sizes) {
  TemplateRunner::Region region;
  for (const std::string &type : kernel.operands)
    region.operands.push_back(withSizes(type, sizes));
  region.constants = kernel.constants;
  region.body = withSizes(kernel.body, sizes);
  region.yielded = kernel.yielded;
  region.yieldedType = withSizes(kernel.yieldedType, sizes);
  return region;
}

Sizes shapeOf(const std::string &type, const Sizes &sizes) {
  Sizes shape;
  for (const std::string &size : sizesOf(type))
    shape.push_back(size[0] == '$' ? sizes[size[1] - 'a'] : std::stoll(size));
  return shape;
}

int64_t countOf(const Sizes &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// Fills the operands of both runners alike.
void setOperands(const OpenKernel &kernel, const Sizes &sizes,
                 TemplateRunner &open, TemplateRunner &fixed) {
  std::vector<std::string> types = kernel.operands;
  types.insert(types.end(), kernel.constants.begin(), kernel.constants.end());
  for (size_t i = 0; i < types.size(); ++i) {
    Sizes shape = shapeOf(types[i], sizes);
    Elements elements = randomElements(countOf(shape), 7 * i + 1);
    if (i < kernel.bounds.size() && kernel.bounds[i] != 0)
      for (double &element : elements)
        element = std::floor((element + 1) / 2 * kernel.bounds[i]);
    open.setOperand(i, elements, shape);
    fixed.setOperand(i, elements);
  }
}

} // namespace

void mlir::atc::test::expectSameAsStatic(const OpenKernel &kernel,
                                         const std::vector<Sizes> &sizes,
                                         double tolerance,
                                         const std::string &templateName) {
  TemplateRunner open;
  TemplateOptions options;
  options.dims = sizes.front();
  ASSERT_TRUE(open.compile(openRegion(kernel, sizes.front().size()), options));
  if (!templateName.empty())
    EXPECT_EQ(open.templateName, templateName);
  for (const Sizes &each : sizes) {
    std::string label = "sizes";
    for (int64_t size : each)
      label += " " + std::to_string(size);
    SCOPED_TRACE(label);
    TemplateRunner fixed;
    ASSERT_TRUE(fixed.compile(staticRegion(kernel, each)));
    open.setDims(each);
    setOperands(kernel, each, open, fixed);
    Elements expected = fixed.run();
    Elements got = open.run(shapeOf(lastType(kernel.yieldedType), each), 3);
    EXPECT_TRUE(open.haloStaysZero());
    ASSERT_EQ(got.size(), expected.size());
    double largest = 0;
    for (double value : expected)
      largest = std::max(largest, std::abs(value));
    for (size_t i = 0; i < got.size(); ++i) {
      bool isSame = got[i] == expected[i] ||
                    (std::isnan(got[i]) && std::isnan(expected[i]));
      if (!isSame)
        ASSERT_NEAR(got[i], expected[i], tolerance * largest) << "at " << i;
    }
  }
}
