// Collects what is wrong with a model, so that all of it is told at once.
// SPDX-License-Identifier: Apache-2.0
#include "ImportDiagnostics.h"

namespace mlir::atc::onnx {

std::string quoted(StringRef text) {
  constexpr size_t kShown = 120;
  if (text.size() <= kShown)
    return ("'" + text + "'").str();
  return ("'" + text.take_front(kShown / 2) + "..." +
          text.take_back(kShown / 2) + "'")
      .str();
}

void ImportDiagnostics::error(::atc::Diagnostic diagnostic) {
  if (++errors <= kShownErrors)
    sink.push_back(std::move(diagnostic));
}

void ImportDiagnostics::unsupported(std::string op, std::string reason,
                                    std::string node) {
  unsupportedNodes[{std::move(op), std::move(reason)}].push_back(
      std::move(node));
}

void ImportDiagnostics::finish() {
  if (unsupportedNodes.empty())
    return;
  constexpr size_t kNamed = 3;
  size_t count = 0;
  std::string lines;
  for (const auto &[what, nodes] : unsupportedNodes) {
    count += nodes.size();
    lines += "\n  " + what.first + ": " + what.second + " (node ";
    for (size_t i = 0; i < std::min(nodes.size(), kNamed); ++i)
      lines += (i ? ", " : "") + quoted(nodes[i]);
    if (nodes.size() > kNamed)
      lines += " and " + std::to_string(nodes.size() - kNamed) + " more";
    lines += ")";
  }
  sink.push_back({::atc::ErrorCode::UnsupportedOperator,
                  std::to_string(count) +
                      (count == 1 ? " node is" : " nodes are") +
                      " not supported:" + lines,
                  {},
                  {}});
}

} // namespace mlir::atc::onnx
