// What passes share during one compilation: targets, weights, the evaluator.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_TARGET_SERVICES_H
#define ATC_TARGET_SERVICES_H

#include "atc/Target/Target.h"
#include "mlir/IR/DialectInterface.h"
#include <memory>

namespace mlir::atc {

class ConstantEvaluator;

namespace graph {
class WeightStore;
} // namespace graph

/// Attached to the graph dialect of a context by the program that makes the
/// context, so that passes, built from a text pipeline or from code, find the
/// target that a module names without a global.
class Services : public DialectInterface::Base<Services> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Services)

  Services(Dialect *dialect, SmallVector<std::shared_ptr<const Target>> targets)
      : Base(dialect), targets(std::move(targets)) {}

  /// Makes `registry` attach an instance that holds these targets to every
  /// context that loads the graph dialect.
  static void attach(DialectRegistry &registry,
                     SmallVector<std::shared_ptr<const Target>> targets);

  /// The instance of a context, or null where none was attached.
  static Services *get(MLIRContext *context);

  /// The target that the module's `graph.target` names; emits an error and
  /// returns null if the attribute is missing or the name unknown.
  static const Target *getTarget(ModuleOp module);

  const Target *lookup(StringRef name) const;
  SmallVector<StringRef> targetNames() const;

  /// The bytes behind `graph.weight_data`; null in tools that only transform.
  graph::WeightStore *weights = nullptr;
  /// Null where constants are not evaluated; passes then leave them.
  ConstantEvaluator *evaluator = nullptr;

private:
  SmallVector<std::shared_ptr<const Target>> targets;
};

/// Names the module attribute that holds the target's name.
inline constexpr StringLiteral targetAttrName = "graph.target";

} // namespace mlir::atc

#endif // ATC_TARGET_SERVICES_H
