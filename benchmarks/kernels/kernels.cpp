// Times single kernels of the CPU templates: GFLOP/s of one thread.
// SPDX-License-Identifier: Apache-2.0
//
// kernels [FILTER] [ROUNDS]: runs the cases whose name contains FILTER. Compile
// time is that of one kernel, from graph ops to machine code.
#include "ReferenceConvolution.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>

using namespace mlir::atc::test;

namespace {

struct Case {
  std::string name;
  double operations;
  TemplateRunner::Region region;
  TemplateOptions options = {};
};

std::string tensor(const std::string &type) { return "tensor<" + type + ">"; }

Case gemm(int64_t rows, int64_t columns, int64_t depth,
          const std::string &activation = "") {
  auto shape = [](int64_t a, int64_t b) {
    return std::to_string(a) + "x" + std::to_string(b) + "xf32";
  };
  std::string left = shape(rows, depth), right = shape(depth, columns);
  std::string result = tensor(shape(rows, columns));
  std::string bias = std::to_string(columns) + "xf32";
  std::string body = "%p = graph.matmul %x0, %w0 : (" + tensor(left) + ", " +
                     tensor(right) + ") -> " + result +
                     "\n%b = graph.add %p, %w1 : (" + result + ", " +
                     tensor(bias) + ") -> " + result + "\n";
  std::string last = "b";
  if (!activation.empty()) {
    body += "%r = graph." + activation + " : (" + result + ") -> " + result;
    last = "r";
  }
  std::string name = "gemm " + std::to_string(rows) + "x" +
                     std::to_string(columns) + "x" + std::to_string(depth);
  if (!activation.empty())
    name += " " + activation.substr(0, activation.find(' '));
  return {name,
          2.0 * rows * columns * depth,
          {{left}, {right, bias}, body, last, result}};
}

Case conv(const char *label, int64_t size, int64_t channels, int64_t outputs,
          int64_t kernel, int64_t stride, int64_t groups = 1,
          bool residual = false) {
  int64_t pad = kernel / 2;
  ConvolutionCase conv{label,
                       1,
                       channels,
                       outputs,
                       groups,
                       {size, size},
                       {kernel, kernel},
                       {stride, stride},
                       {pad, pad},
                       {pad, pad},
                       {1, 1}};
  std::string type = conv.resultType();
  std::string bias = std::to_string(outputs) + "x1x1xf32";
  std::string body = conv.text("c") + "%b = graph.add %c, %w1 : (" + type +
                     ", " + tensor(bias) + ") -> " + type + "\n";
  std::vector<std::string> operands = {conv.inputType()};
  std::string last = "b";
  if (residual) {
    operands.push_back(type.substr(7, type.size() - 8));
    body += "%s = graph.add %b, %x1 : (" + type + ", " + type + ") -> " + type +
            "\n";
    last = "s";
  }
  body += "%r = graph.relu %" + last + " : (" + type + ") -> " + type;
  int64_t out = conv.resultSize(0);
  Case result{std::string(label) + " " + std::to_string(size) + "^2 " +
                  std::to_string(channels) + "->" + std::to_string(outputs) +
                  " k" + std::to_string(kernel) + " s" + std::to_string(stride),
              2.0 * out * out * outputs * channels / groups * kernel * kernel,
              {operands, {conv.filterType(), bias}, body, "r", type}};
  return result;
}

std::vector<Case> cases() {
  return {
      gemm(512, 512, 512),
      gemm(128, 768, 768),
      gemm(128, 3072, 768, "gelu %b"),
      gemm(128, 3072, 768),
      gemm(128, 768, 3072),
      gemm(197, 768, 768),
      gemm(197, 768, 3072),
      gemm(1, 4096, 4096),
      gemm(1, 1000, 2048),
      conv("stem", 224, 3, 64, 7, 2),
      conv("direct", 56, 64, 64, 3, 1),
      conv("direct", 28, 128, 128, 3, 1),
      conv("direct", 14, 256, 256, 3, 1),
      conv("direct", 7, 512, 512, 3, 1),
      conv("direct", 56, 128, 128, 3, 2),
      conv("1x1", 56, 64, 256, 1, 1, 1, true),
      conv("1x1", 56, 256, 64, 1, 1),
      conv("1x1", 28, 512, 128, 1, 1),
      conv("1x1", 28, 128, 512, 1, 1, 1, true),
      conv("1x1", 14, 1024, 256, 1, 1),
      conv("1x1", 14, 256, 1024, 1, 1, 1, true),
      conv("1x1", 7, 2048, 512, 1, 1),
      conv("1x1", 7, 512, 2048, 1, 1, 1, true),
      conv("1x1", 56, 256, 512, 1, 2),
      conv("1x1", 112, 32, 16, 1, 1),
      conv("1x1", 112, 16, 96, 1, 1),
      conv("1x1", 56, 96, 24, 1, 1),
      conv("1x1", 14, 384, 64, 1, 1),
      conv("1x1", 7, 960, 160, 1, 1),
      conv("depthwise", 112, 32, 32, 3, 1, 32),
      conv("depthwise", 112, 96, 96, 3, 2, 96),
      conv("depthwise", 14, 384, 384, 3, 1, 384),
      conv("depthwise", 7, 960, 960, 3, 1, 960),
      conv("depthwise", 40, 120, 120, 5, 1, 120),
  };
}

double threadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

void fillOperands(TemplateRunner &runner,
                  const TemplateRunner::Region &region) {
  unsigned number = 0;
  for (const auto &types : {region.operands, region.constants})
    for (const std::string &type : types) {
      int64_t count = 1;
      for (size_t at = 0; isdigit(type[at]); at = type.find('x', at) + 1)
        count *= std::stoll(type.substr(at));
      runner.setOperand(number, randomElements(count, number));
      ++number;
    }
}

void time(const Case &test, unsigned rounds) {
  auto start = std::chrono::steady_clock::now();
  TemplateRunner runner;
  if (!runner.compile(test.region, test.options)) {
    std::printf("%-36s failed\n", test.name.c_str());
    return;
  }
  std::chrono::duration<double> compile =
      std::chrono::steady_clock::now() - start;
  fillOperands(runner, test.region);
  runner.run();
  double once = threadSeconds();
  runner.runAgain();
  once = threadSeconds() - once;
  unsigned repeats = std::max(1.0, 5e-3 / std::max(once, 1e-6));
  std::vector<double> times;
  for (unsigned round = 0; round < rounds; ++round) {
    double begin = threadSeconds();
    for (unsigned i = 0; i < repeats; ++i)
      runner.runAgain();
    times.push_back((threadSeconds() - begin) / repeats);
  }
  std::sort(times.begin(), times.end());
  double median = times[times.size() / 2];
  std::printf("%-36s %-12s %9.1f us  %6.1f (%6.1f) GFLOP/s  compiled in %4.0f "
              "ms\n",
              test.name.c_str(), runner.templateName.c_str(), median * 1e6,
              test.operations / median * 1e-9,
              test.operations / times.front() * 1e-9, compile.count() * 1e3);
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  const char *filter = argc > 1 ? argv[1] : "";
  unsigned rounds = argc > 2 ? std::atoi(argv[2]) : 15;
  for (const Case &test : cases())
    if (test.name.find(filter) != std::string::npos)
      time(test, rounds);
}
