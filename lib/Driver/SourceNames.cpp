// What locations say of the source model.
// SPDX-License-Identifier: Apache-2.0
#include "SourceNames.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::atc;

/// Import wraps a node's name with its op type and operator set.
static SourceNode makeNode(NameLoc name, Attribute metadata) {
  SourceNode node{name.getName().getValue(), {}, 0};
  if (auto source = dyn_cast_or_null<DictionaryAttr>(metadata)) {
    if (auto opType = source.getAs<StringAttr>("op_type"))
      node.opType = opType.getValue();
    if (auto opset = source.getAs<IntegerAttr>("opset"))
      node.opset = opset.getInt();
  }
  return node;
}

SmallVector<SourceNode> mlir::atc::getSourceNodes(Location loc) {
  SmallVector<SourceNode> nodes;
  DenseSet<StringRef> seen;
  SmallVector<std::pair<Location, Attribute>> worklist{{loc, Attribute()}};
  while (!worklist.empty()) {
    auto [current, metadata] = worklist.pop_back_val();
    if (auto fused = dyn_cast<FusedLoc>(current)) {
      Attribute inner = fused.getMetadata() ? fused.getMetadata() : metadata;
      for (Location part : llvm::reverse(fused.getLocations()))
        worklist.emplace_back(part, inner);
    } else if (auto name = dyn_cast<NameLoc>(current)) {
      if (seen.insert(name.getName().getValue()).second)
        nodes.push_back(makeNode(name, metadata));
    } else if (auto call = dyn_cast<CallSiteLoc>(current)) {
      worklist.emplace_back(call.getCallee(), metadata);
    }
  }
  return nodes;
}

std::string mlir::atc::joinSourceNames(Location loc) {
  return llvm::join(
      llvm::map_range(getSourceNodes(loc),
                      [](const SourceNode &node) { return node.name; }),
      "+");
}

std::string mlir::atc::describeSource(Location loc) {
  constexpr size_t limit = 3;
  SmallVector<SourceNode> nodes = getSourceNodes(loc);
  std::string text;
  for (const SourceNode &node : ArrayRef(nodes).take_front(limit)) {
    text += text.empty() ? "node '" : ", node '";
    text += node.name;
    text += "'";
    if (!node.opType.empty()) {
      text += (" (" + node.opType).str();
      if (node.opset != 0)
        text += ", opset " + std::to_string(node.opset);
      text += ")";
    }
  }
  if (nodes.size() > limit)
    text += " and " + std::to_string(nodes.size() - limit) + " more";
  return text;
}
