// Which function imports which version of an operator.
// SPDX-License-Identifier: Apache-2.0
#include "OpTable.h"

#include "Ops/Families.h"
#include "atc/Frontend/Onnx/Import.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::atc::onnx {
namespace {

struct StandardOperator {
  StringRef name;
  SmallVector<int, 8> versions;
};

ArrayRef<StandardOperator> getStandard() {
  static const StandardOperator operators[] = {
#define ATC_ONNX_NEWEST_OPSET(OPSET)
#define ATC_ONNX_OPERATOR(NAME, ...) {#NAME, {__VA_ARGS__}},
#include "OperatorVersions.def"
  };
  return operators;
}

} // namespace

int OpTable::getNewestOpset() {
  return
#define ATC_ONNX_NEWEST_OPSET(OPSET) OPSET
#define ATC_ONNX_OPERATOR(NAME, ...)
#include "OperatorVersions.def"
      ;
}

const OpTable &OpTable::get() {
  static const OpTable table;
  return table;
}

OpTable::OpTable() {
  registerElementwiseOps(*this);
  registerActivationOps(*this);
  registerReductionOps(*this);
  registerMatMulOps(*this);
  registerEinsumOps(*this);
  registerConvolutionOps(*this);
  registerPoolingOps(*this);
  registerNormalizationOps(*this);
  registerMovementOps(*this);
  registerResizeOps(*this);
  registerIndexingOps(*this);
  registerShapeOps(*this);
  registerCreationOps(*this);
  registerQuantizationOps(*this);
  registerLossOps(*this);
  registerLegacyOps(*this);
}

void OpTable::on(StringRef op, std::initializer_list<int> versions,
                 ImportFunction function) {
  for (int version : versions) {
    assert(llvm::is_contained(getVersions(op), version) &&
           "the standard has no such version");
    [[maybe_unused]] bool isNew =
        rows.try_emplace({op, version}, function).second;
    assert(isNew && "two rows for one version");
  }
}

void OpTable::onLegacy(StringRef op, ImportFunction function) {
  assert(getVersions(op).empty() && "the operator is in the standard");
  legacy.try_emplace(op, function);
}

OpTable::Match OpTable::find(StringRef op, int opset) const {
  auto old = legacy.find(op);
  if (old != legacy.end())
    return {1, old->second};
  Match match;
  for (int version : getVersions(op))
    if (version <= opset)
      match.version = version;
  auto row = rows.find({op, match.version});
  if (row != rows.end())
    match.function = row->second;
  return match;
}

ArrayRef<int> OpTable::getVersions(StringRef op) {
  static const llvm::StringMap<ArrayRef<int>> versions = [] {
    llvm::StringMap<ArrayRef<int>> map;
    for (const StandardOperator &entry : getStandard())
      map[entry.name] = entry.versions;
    return map;
  }();
  return versions.lookup(op);
}

ArrayRef<StringRef> OpTable::getStandardOperators() {
  static const std::vector<StringRef> names = [] {
    std::vector<StringRef> list;
    for (const StandardOperator &entry : getStandard())
      list.push_back(entry.name);
    return list;
  }();
  return names;
}

bool OpTable::supports(StringRef op, int version) const {
  return rows.find({op, version}) != rows.end();
}

SmallVector<StringRef> OpTable::getLegacyOperators() const {
  return llvm::to_vector(llvm::make_first_range(legacy));
}

} // namespace mlir::atc::onnx

void mlir::atc::printOnnxOperators(llvm::raw_ostream &os) {
  using onnx::OpTable;
  const OpTable &table = OpTable::get();
  os << "# Supported ONNX operators\n\n"
     << "Operator sets " << onnx::kOldestOpset << " to "
     << OpTable::getNewestOpset()
     << " of the domain `ai.onnx`. A version is the operator set that "
        "introduced a definition;\nversions that operator set "
     << onnx::kOldestOpset << " has already replaced are left out.\n\n"
     << "| operator | supported versions | not supported |\n|---|---|---|\n";
  for (StringRef op : OpTable::getStandardOperators()) {
    std::string yes, no;
    ArrayRef<int> versions = OpTable::getVersions(op);
    for (size_t i = 0; i < versions.size(); ++i) {
      if (i + 1 < versions.size() && versions[i + 1] <= onnx::kOldestOpset)
        continue;
      std::string &list = table.supports(op, versions[i]) ? yes : no;
      list += (list.empty() ? "" : ", ") + std::to_string(versions[i]);
    }
    os << "| " << op << " | " << yes << " | " << no << " |\n";
  }
  os << "\nOperators of early files that never were in the standard, with the "
        "meaning that ONNX Runtime\ngives them: ";
  llvm::interleaveComma(table.getLegacyOperators(), os);
  os << ".\n";
}
