// Anchors of the target interfaces, and the services of a context.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Target/Target.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "atc/Target/ConstantEvaluator.h"
#include "atc/Target/Services.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::atc;

Target::~Target() = default;

LogicalResult Target::rewriteAnchor(RewriterBase &rewriter,
                                    graph::KernelOp kernel) const {
  return success();
}

bool Target::kernelFollowsPitch(ArrayRef<Operation *> ops) const {
  Operation *anchor = nullptr;
  for (Operation *op : ops) {
    if (isa<graph::ScalarBodyInterface, graph::ConstantOp>(op))
      continue;
    if (anchor || !followsPitch(op))
      return false;
    anchor = op;
  }
  return anchor;
}

const Target *
mlir::atc::lookupTarget(ArrayRef<std::shared_ptr<const Target>> targets,
                        StringRef name) {
  for (const std::shared_ptr<const Target> &target : targets)
    if (target->getName() == name)
      return target.get();
  return nullptr;
}

ConstantEvaluator::~ConstantEvaluator() = default;

namespace {
/// Gives the graph dialect of every new context its services.
class ServicesExtension
    : public DialectExtension<ServicesExtension, graph::GraphDialect> {
public:
  explicit ServicesExtension(SmallVector<std::shared_ptr<const Target>> targets)
      : targets(std::move(targets)) {}

  void apply(MLIRContext *context,
             graph::GraphDialect *dialect) const override {
    dialect->addInterface(std::make_unique<Services>(dialect, targets));
  }

private:
  SmallVector<std::shared_ptr<const Target>> targets;
};
} // namespace

void Services::attach(DialectRegistry &registry,
                      SmallVector<std::shared_ptr<const Target>> targets) {
  registry.addExtension(
      TypeID::get<ServicesExtension>(),
      std::make_unique<ServicesExtension>(std::move(targets)));
}

Services *Services::get(MLIRContext *context) {
  Dialect *dialect = context->getLoadedDialect<graph::GraphDialect>();
  if (!dialect)
    return nullptr;
  // The dialect hands its interfaces out as const; the services are the
  // mutable state of one compilation, owned by that context alone.
  return const_cast<Services *>(dialect->getRegisteredInterface<Services>());
}

const Target *Services::getTarget(ModuleOp module) {
  auto name = module->getAttrOfType<StringAttr>(targetAttrName);
  if (!name) {
    module.emitError("expects the attribute '")
        << targetAttrName << "' to name a target";
    return nullptr;
  }
  Services *services = get(module.getContext());
  const Target *target = services ? services->lookup(name) : nullptr;
  if (!target) {
    InFlightDiagnostic diagnostic = module.emitError("unknown target '")
                                    << name.getValue() << "'";
    if (services)
      diagnostic.attachNote()
          << "known: " << llvm::join(services->targetNames(), ", ");
  }
  return target;
}

const Target *Services::lookup(StringRef name) const {
  return lookupTarget(targets, name);
}

SmallVector<StringRef> Services::targetNames() const {
  return llvm::map_to_vector(
      targets, [](const auto &target) { return target->getName(); });
}
