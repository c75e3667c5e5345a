// Where constants lie in the weights partition.
// SPDX-License-Identifier: Apache-2.0
#include "WeightLayout.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::atc;

std::vector<char> mlir::atc::getElementBytes(ElementsAttr value) {
  auto dense = cast<DenseElementsAttr>(value);
  ArrayRef<char> raw = dense.getRawData();
  int64_t count = dense.getNumElements();
  Type element = dense.getElementType();
  std::vector<char> bytes;
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  if (bits == 1 || (bits != 0 && bits < 8)) {
    // Booleans take a byte each, smaller integers lie side by side.
    unsigned perByte = bits == 1 ? 1 : 8 / bits;
    bytes.assign(llvm::divideCeil(count, perByte), 0);
    int64_t index = 0;
    auto append = [&](const APInt &number) {
      bytes[index / perByte] |=
          static_cast<char>(number.getZExtValue() << (index % perByte * bits));
      ++index;
    };
    if (isa<FloatType>(element))
      for (const APFloat &number : dense.getValues<APFloat>())
        append(number.bitcastToAPInt());
    else
      llvm::for_each(dense.getValues<APInt>(), append);
    return bytes;
  }
  if (!dense.isSplat())
    return std::vector<char>(raw.begin(), raw.end());
  bytes.reserve(raw.size() * count);
  for (int64_t i = 0; i < count; ++i)
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  return bytes;
}

namespace {

/// Finds the first of equal constants. Constants are told apart by text, so
/// that recipes, which refer to others, compare like everything else.
class ConstantUniquer {
public:
  ConstantUniquer(ModuleOp module, const graph::WeightStore *weights)
      : symbols(module), weights(weights) {}

  /// Equal for constants that are known to hold the same bytes.
  FailureOr<std::string> getKey(Attribute constant);

private:
  FailureOr<std::string> getDataKey(graph::WeightDataOp data);
  FailureOr<std::string> getRecipeKey(graph::RecipeOp recipe);

  SymbolTable symbols;
  const graph::WeightStore *weights;
  llvm::StringMap<std::string> keys;
  /// By text, the key of the first recipe of that text.
  llvm::StringMap<std::string> recipes;
  /// By hash, the source ranges seen so far.
  llvm::StringMap<SmallVector<std::pair<ArrayRef<char>, std::string>, 1>> data;
};

} // namespace

FailureOr<std::string>
ConstantUniquer::getDataKey(graph::WeightDataOp weightData) {
  std::optional<ArrayRef<char>> bytes;
  if (weights)
    bytes = weights->getBytes({static_cast<uint32_t>(weightData.getSource()),
                               static_cast<uint64_t>(weightData.getOffset()),
                               static_cast<uint64_t>(weightData.getLength())});
  if (!bytes)
    return weightData.emitOpError("names bytes that the weight store lacks");
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(ArrayRef(
      reinterpret_cast<const uint8_t *>(bytes->data()), bytes->size()));
  std::string text = llvm::formatv("{0:x}{1:x}", hash.high64, hash.low64).str();
  auto &known = data[text];
  for (auto &[other, key] : known)
    if (other == *bytes)
      return key;
  // Names are unique, so a key that holds one is.
  std::string key = "data " + weightData.getSymName().str();
  known.emplace_back(*bytes, key);
  return key;
}

FailureOr<std::string> ConstantUniquer::getRecipeKey(graph::RecipeOp recipe) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (Operation &op : recipe.getBody().front()) {
    // By what it names, not by the name; that has a key already.
    if (auto weight = dyn_cast<graph::WeightOp>(op))
      stream << weight.getType() << ' ' << keys.lookup(weight.getSymbol());
    else
      op.print(stream, OpPrintingFlags().useLocalScope());
    stream << '\n';
  }
  auto [it, isNew] =
      recipes.try_emplace(text, "recipe " + recipe.getSymName().str());
  return it->second;
}

FailureOr<std::string> ConstantUniquer::getKey(Attribute constant) {
  if (auto value = dyn_cast<ElementsAttr>(constant)) {
    auto dense = cast<DenseElementsAttr>(value);
    if (dense.isSplat())
      return llvm::formatv("splat {0} {1}", dense.getType(),
                           llvm::toHex(StringRef(dense.getRawData().data(),
                                                 dense.getRawData().size())))
          .str();
    std::vector<char> bytes = getElementBytes(value);
    return "value " + std::string(bytes.begin(), bytes.end());
  }
  // A recipe may refer to others: those first.
  SmallVector<StringRef> worklist{cast<FlatSymbolRefAttr>(constant).getValue()};
  while (!worklist.empty()) {
    StringRef name = worklist.back();
    if (keys.contains(name)) {
      worklist.pop_back();
      continue;
    }
    Operation *op = symbols.lookup(name);
    FailureOr<std::string> key = failure();
    if (auto weightData = dyn_cast_or_null<graph::WeightDataOp>(op)) {
      key = getDataKey(weightData);
    } else if (auto recipe = dyn_cast_or_null<graph::RecipeOp>(op)) {
      size_t before = worklist.size();
      for (auto weight : recipe.getBody().getOps<graph::WeightOp>())
        if (!keys.contains(weight.getSymbol()))
          worklist.push_back(weight.getSymbol());
      if (worklist.size() != before)
        continue;
      key = getRecipeKey(recipe);
    }
    if (failed(key))
      return failure();
    keys[name] = *key;
    worklist.pop_back();
  }
  return keys.lookup(cast<FlatSymbolRefAttr>(constant).getValue());
}

FailureOr<WeightLayout>
WeightLayout::create(plan::ProgramOp program,
                     const graph::WeightStore *weights) {
  WeightLayout layout;
  ConstantUniquer uniquer(program->getParentOfType<ModuleOp>(), weights);
  llvm::StringMap<unsigned> known;
  auto add = [&](Operation *op, Attribute constant, int64_t bytes) {
    if (layout.indexOf.contains(constant))
      return success();
    FailureOr<std::string> key = uniquer.getKey(constant);
    if (failed(key))
      return failure();
    auto [it, isNew] = known.try_emplace(*key, layout.entries.size());
    layout.indexOf[constant] = it->second;
    if (!isNew)
      return success();
    uint64_t offset = llvm::alignTo(layout.totalBytes, alignment);
    layout.entries.push_back({constant, offset, static_cast<uint64_t>(bytes)});
    layout.totalBytes = offset + bytes;
    return success();
  };
  WalkResult result = program.walk([&](Operation *op) {
    LogicalResult added = success();
    if (auto weight = dyn_cast<plan::WeightOp>(op))
      added = add(op, weight.getSymbolAttr(), weight.getBytes());
    else if (auto constant = dyn_cast<plan::ConstantOp>(op))
      added = add(op, constant.getValueAttr(),
                  getElementBytes(constant.getValue()).size());
    else if (auto variable = dyn_cast<plan::VariableOp>(op))
      if (FlatSymbolRefAttr initial = variable.getInitialAttr())
        added = add(op, initial,
                    plan::getStaticBytes(variable.getBuffer()).value_or(0));
    return failed(added) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return layout;
}
