// Hands MLIR's optimization remarks to an observer.
// SPDX-License-Identifier: Apache-2.0
#include "RemarkObserver.h"
#include "SourceNames.h"
#include "mlir/IR/Remarks.h"
#include <mutex>

using namespace mlir;
using namespace mlir::atc;

namespace {

class ObserverStreamer final : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit ObserverStreamer(::atc::CompileObserver &observer)
      : observer(observer) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    std::string text =
        llvm::formatv("{0}: {1}: {2}", remark.getCombinedCategoryName(),
                      remark.getRemarkName(), remark.getMsg())
            .str();
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
  remark::RemarkCategories categories;
  categories.all = ".*";
  // Fails only if a regular expression is wrong.
  LogicalResult enabled = remark::enableOptimizationRemarks(
      context, std::make_unique<ObserverStreamer>(observer),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
  (void)enabled;
}
