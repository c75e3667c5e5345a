// Which nodes of a graph are needed, and in which order they can be read.
// SPDX-License-Identifier: Apache-2.0
#include "GraphOrder.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include <algorithm>
#include <functional>
#include <queue>

namespace mlir::atc::onnx {
namespace {

using ::atc::ErrorCode;
using ::atc::Expected;
using ::atc::Status;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

Status invalidGraph(std::string message) {
  return Status::error(ErrorCode::InvalidGraph, std::move(message));
}

/// Adds the names that a subgraph takes from around it. Nesting is bounded by
/// the reader's limit on messages.
void collectCaptures(const GraphProto &graph, std::vector<std::string> &uses) {
  llvm::StringSet<> own;
  for (const auto &input : graph.input())
    own.insert(input.name());
  for (const auto &tensor : graph.initializer())
    own.insert(tensor.name());
  for (const NodeProto &node : graph.node())
    for (const std::string &output : node.output())
      own.insert(output);

  std::vector<std::string> inner;
  for (const NodeProto &node : graph.node()) {
    inner.insert(inner.end(), node.input().begin(), node.input().end());
    for (const auto &attribute : node.attribute()) {
      if (attribute.has_g())
        collectCaptures(attribute.g(), inner);
      for (const GraphProto &nested : attribute.graphs())
        collectCaptures(nested, inner);
    }
  }
  for (const auto &output : graph.output())
    inner.push_back(output.name());
  for (std::string &name : inner)
    if (!own.contains(name))
      uses.push_back(std::move(name));
}

std::vector<std::string> collectUses(const NodeProto &node) {
  std::vector<std::string> uses(node.input().begin(), node.input().end());
  for (const auto &attribute : node.attribute()) {
    if (attribute.has_g())
      collectCaptures(attribute.g(), uses);
    for (const GraphProto &graph : attribute.graphs())
      collectCaptures(graph, uses);
  }
  llvm::erase_if(uses, [](const std::string &name) { return name.empty(); });
  return uses;
}

} // namespace

std::string describeNode(const NodeProto &node) {
  if (!node.name().empty())
    return node.name();
  for (const std::string &output : node.output())
    if (!output.empty())
      return output;
  return "(unnamed)";
}

Expected<GraphOrder> GraphOrder::create(const GraphProto &graph) {
  GraphOrder order(graph);
  for (const auto &input : graph.input())
    if (!order.producers.try_emplace(input.name(), -1).second)
      return invalidGraph("input '" + input.name() + "' is defined twice");
  // An initializer may stand among the inputs too, as its default.
  llvm::StringSet<> initializers;
  auto addInitializer = [&](const std::string &name) {
    order.producers.try_emplace(name, -1);
    return initializers.insert(name).second;
  };
  for (const auto &tensor : graph.initializer())
    if (!addInitializer(tensor.name()))
      return invalidGraph("initializer '" + tensor.name() +
                          "' is defined twice");
  for (const auto &tensor : graph.sparse_initializer())
    if (!addInitializer(tensor.values().name()))
      return invalidGraph("initializer '" + tensor.values().name() +
                          "' is defined twice");
  for (int i = 0; i < graph.node_size(); ++i) {
    const NodeProto &node = graph.node(i);
    for (const std::string &output : node.output())
      if (!output.empty() && !order.producers.try_emplace(output, i).second)
        return invalidGraph("value '" + output +
                            "' is defined twice, the second time by node '" +
                            describeNode(node) + "' (" + node.op_type() + ")");
    order.uses.push_back(collectUses(node));
  }
  return std::move(order);
}

Expected<std::vector<int>>
GraphOrder::sort(llvm::ArrayRef<std::string> outputs) const {
  // Backwards from the outputs: what is needed.
  std::vector<bool> needed(uses.size(), false);
  llvm::SmallVector<int> stack;
  for (const std::string &output : outputs)
    if (int node = findProducer(output); node >= 0 && !needed[node]) {
      needed[node] = true;
      stack.push_back(node);
    }
  std::vector<int> waitsFor(uses.size(), 0);
  std::vector<std::vector<int>> users(uses.size());
  size_t count = 0;
  while (!stack.empty()) {
    int node = stack.pop_back_val();
    ++count;
    for (const std::string &use : uses[node]) {
      auto entry = producers.find(use);
      if (entry == producers.end())
        return invalidGraph("node '" + describeNode(graph->node(node)) + "' (" +
                            graph->node(node).op_type() + ") uses '" + use +
                            "', which is not defined");
      int producer = entry->second;
      if (producer < 0)
        continue;
      ++waitsFor[node];
      users[producer].push_back(node);
      if (!needed[producer]) {
        needed[producer] = true;
        stack.push_back(producer);
      }
    }
  }

  // Forwards: always the first node of the file that waits for nothing.
  std::priority_queue<int, std::vector<int>, std::greater<int>> ready;
  for (size_t node = 0; node < uses.size(); ++node)
    if (needed[node] && waitsFor[node] == 0)
      ready.push(static_cast<int>(node));
  std::vector<int> sorted;
  while (!ready.empty()) {
    int node = ready.top();
    ready.pop();
    sorted.push_back(node);
    needed[node] = false;
    for (int user : users[node])
      if (--waitsFor[user] == 0)
        ready.push(user);
  }
  if (sorted.size() != count)
    return invalidGraph("nodes depend on each other in a cycle: " +
                        describeCycle(needed));
  return std::move(sorted);
}

/// Walks from one unfinished node to unfinished nodes it uses until one comes
/// again; every such node has one.
std::string
GraphOrder::describeCycle(const std::vector<bool> &unfinished) const {
  int node = 0;
  while (!unfinished[node])
    ++node;
  std::vector<int> position(uses.size(), -1);
  std::vector<int> path;
  while (position[node] < 0) {
    position[node] = static_cast<int>(path.size());
    path.push_back(node);
    for (const std::string &use : uses[node])
      if (int producer = findProducer(use);
          producer >= 0 && unfinished[producer]) {
        node = producer;
        break;
      }
  }
  // A value flows from each node to the next, beginning with the first of the
  // file.
  std::vector<int> cycle(path.begin() + position[node], path.end());
  std::reverse(cycle.begin(), cycle.end());
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()),
              cycle.end());
  constexpr size_t kNamed = 8;
  std::string text;
  for (size_t i = 0; i < std::min(cycle.size(), kNamed); ++i) {
    const NodeProto &proto = graph->node(cycle[i]);
    text += (i ? " -> '" : "'") + describeNode(proto) + "' (" +
            proto.op_type() + ")";
  }
  if (cycle.size() > kNamed)
    text += " and " + std::to_string(cycle.size() - kNamed) + " more";
  return text;
}

} // namespace mlir::atc::onnx
