// Which nodes of a graph are needed, and in which order they can be read.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_FRONTEND_ONNX_GRAPHORDER_H
#define ATC_LIB_FRONTEND_ONNX_GRAPHORDER_H

#include "atc/Support/Diagnostic.h"
#include "onnx.pb.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace mlir::atc::onnx {

/// A name for people: the node's own, or else that of its first output.
std::string describeNode(const ::onnx::NodeProto &node);

/// The graph's values and nodes by name.
class GraphOrder {
public:
  /// Indexes a graph. E16004 if a value is defined twice.
  static ::atc::Expected<GraphOrder> create(const ::onnx::GraphProto &graph);

  /// The nodes that `outputs` depend on, each after the nodes it uses, in file
  /// order where that leaves a choice. E16004 if a value is not defined, or if
  /// the nodes depend on each other in a cycle, which the message names.
  ::atc::Expected<std::vector<int>>
  sort(llvm::ArrayRef<std::string> outputs) const;

  /// The node that defines a value, or -1.
  int findProducer(llvm::StringRef value) const {
    auto entry = producers.find(value);
    return entry == producers.end() ? -1 : entry->second;
  }
  /// True for inputs, initializers and outputs of nodes.
  bool isDefined(llvm::StringRef value) const {
    return producers.contains(value);
  }

private:
  explicit GraphOrder(const ::onnx::GraphProto &graph) : graph(&graph) {}

  std::string describeCycle(const std::vector<bool> &unfinished) const;

  const ::onnx::GraphProto *graph;
  /// Value to node; -1 for inputs and initializers.
  llvm::StringMap<int> producers;
  /// For each node the values it uses, those of its subgraphs included.
  std::vector<std::vector<std::string>> uses;
};

} // namespace mlir::atc::onnx

#endif // ATC_LIB_FRONTEND_ONNX_GRAPHORDER_H
