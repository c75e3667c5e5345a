// Hands MLIR's optimization remarks to an observer.
// SPDX-License-Identifier: Apache-2.0
#include "RemarkObserver.h"
#include "SourceNames.h"
#include "mlir/IR/Remarks.h"
#include <mutex>

using namespace mlir;
using namespace mlir::atc;

namespace {

/// `category: name: text`; what a remark adds under a key is `key text`.
std::string describe(const remark::detail::Remark &remark) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << remark.getCombinedCategoryName() << ": " << remark.getRemarkName();
  bool isFirst = true;
  for (const remark::detail::Remark::Arg &argument : remark.getArgs()) {
    // Text that is streamed in has this key, piece by piece.
    bool isText = argument.key == "Remark";
    if (isFirst || !isText)
      os << (isFirst ? ": " : "; ");
    if (!isText)
      os << StringRef(argument.key).lower() << ' ';
    os << argument.val;
    isFirst = false;
  }
  return text;
}

class ObserverStreamer final : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit ObserverStreamer(::atc::CompileObserver &observer)
      : observer(observer) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    std::string text = describe(remark);
    if (std::string where = describeSource(remark.getLocation());
        !where.empty())
      text = where + ": " + text;
    std::lock_guard<std::mutex> lock(mutex);
    observer.remark(text);
  }

private:
  ::atc::CompileObserver &observer;
  std::mutex mutex;
};

} // namespace

void mlir::atc::enableRemarks(MLIRContext &context,
                              ::atc::CompileObserver &observer) {
  // `all` only widens the kinds that have a filter of their own.
  const std::string any = ".*";
  remark::RemarkCategories categories;
  categories.passed = categories.missed = any;
  categories.analysis = categories.failed = any;
  // Fails only if a regular expression is wrong.
  LogicalResult enabled = remark::enableOptimizationRemarks(
      context, std::make_unique<ObserverStreamer>(observer),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
  (void)enabled;
}
