// Evaluates recipes by compiling them for this machine and running them.
// SPDX-License-Identifier: Apache-2.0
#include "RecipeEvaluator.h"
#include "PhaseRunner.h"
#include "PlanTranslation.h"
#include "atc/Model/OfflineModelWriter.h"
#include "atc/Runtime/Session.h"
#include "atc/Target/Services.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::atc;

//===----------------------------------------------------------------------===//
// From recipes to functions
//===----------------------------------------------------------------------===//

/// The recipes that `recipe` needs, itself last, each behind those it refers
/// to.
static SmallVector<graph::RecipeOp> sortRecipes(graph::RecipeOp recipe,
                                                const SymbolTable &symbols) {
  llvm::SetVector<Operation *> sorted;
  SmallVector<graph::RecipeOp> worklist{recipe};
  while (!worklist.empty()) {
    graph::RecipeOp current = worklist.back();
    size_t before = worklist.size();
    for (auto weight : current.getBody().getOps<graph::WeightOp>())
      if (auto needed = symbols.lookup<graph::RecipeOp>(weight.getSymbol()))
        if (!sorted.contains(needed))
          worklist.push_back(needed);
    if (worklist.size() != before)
      continue;
    sorted.insert(current);
    worklist.pop_back();
  }
  return llvm::map_to_vector(
      sorted, [](Operation *op) { return cast<graph::RecipeOp>(op); });
}

/// A value of many elements is no part of the code: it becomes an argument.
static bool isArgument(Operation *op) {
  auto constant = dyn_cast<graph::ConstantOp>(op);
  return constant && !isa<SplatElementsAttr>(constant.getValue());
}

LogicalResult RecipeEvaluator::addFunction(graph::RecipeOp recipe,
                                           const SymbolTable &symbols) {
  OpBuilder builder = OpBuilder::atBlockEnd(compiled->getBody());
  std::string name = "recipe_" + std::to_string(functions.size());
  auto resultType = cast<RankedTensorType>(recipe.getType());
  auto function =
      func::FuncOp::create(builder, recipe.getLoc(), name,
                           builder.getFunctionType({}, TypeRange(resultType)));
  Function entry{name, recipe.getLoc(), {}};
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  IRMapping mapping;
  llvm::StringMap<Value> bySymbol;
  auto addArgument = [&](Type type, auto source) {
    entry.arguments.push_back(source);
    return body->addArgument(type, recipe.getLoc());
  };
  for (graph::RecipeOp current : sortRecipes(recipe, symbols)) {
    for (Operation &op : current.getBody().front()) {
      if (auto yield = dyn_cast<graph::YieldOp>(op)) {
        bySymbol[current.getSymName()] = mapping.lookup(yield->getOperand(0));
      } else if (auto weight = dyn_cast<graph::WeightOp>(op)) {
        Value &value = bySymbol[weight.getSymbol()];
        if (!value) {
          auto data = symbols.lookup<graph::WeightDataOp>(weight.getSymbol());
          if (!data)
            return weight.emitOpError("names no constant of the module");
          value = addArgument(
              weight.getType(),
              graph::WeightRange{static_cast<uint32_t>(data.getSource()),
                                 static_cast<uint64_t>(data.getOffset()),
                                 static_cast<uint64_t>(data.getLength())});
        }
        mapping.map(weight.getResult(), value);
      } else if (isArgument(&op)) {
        mapping.map(op.getResult(0),
                    addArgument(op.getResult(0).getType(),
                                cast<graph::ConstantOp>(op).getValue()));
      } else {
        builder.clone(op, mapping);
      }
    }
  }
  func::ReturnOp::create(builder, recipe.getLoc(),
                         bySymbol[recipe.getSymName()]);
  function.setType(
      builder.getFunctionType(body->getArgumentTypes(), TypeRange(resultType)));
  functions.insert({recipe.getSymName(), std::move(entry)});
  return success();
}

LogicalResult RecipeEvaluator::prepare(ModuleOp module,
                                       ArrayRef<StringRef> recipes) {
  SymbolTable symbols(module);
  functions.clear();
  compiled = ModuleOp::create(module.getLoc());
  (*compiled)->setAttr(targetAttrName,
                       StringAttr::get(context, host.getName()));
  for (StringRef name : recipes) {
    auto recipe = symbols.lookup<graph::RecipeOp>(name);
    if (!recipe)
      return module.emitError("expects a recipe '") << name << "'";
    if (failed(addFunction(recipe, symbols)))
      return failure();
  }
  return recipes.empty() ? success() : compile();
}

LogicalResult RecipeEvaluator::compile() {
  auto plainly = [](const PhaseInfo &,
                    llvm::function_ref<LogicalResult()> run) { return run(); };
  if (failed(
          runPhases(*compiled, host, Phase::Fuse, PipelineOptions(), plainly)))
    return failure();
  FailureOr<CodeImage> image = host.emit(*compiled);
  if (failed(image))
    return failure();
  code = std::move(*image);
  return success();
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Tells a problem of the runtime at the recipe.
static LogicalResult report(Location loc, const ::atc::Diagnostic &problem) {
  return emitError(loc, "cannot evaluate a constant: ") << problem.message;
}

/// Writes the constants that addFunction left in the code and that no kernel
/// could compute: splats that a host op or the result reads.
static ::atc::Status appendSplats(::atc::OfflineModelWriter &writer,
                                  const WeightLayout &layout) {
  for (const WeightEntry &entry : layout.getEntries()) {
    std::vector<char> bytes =
        getElementBytes(cast<ElementsAttr>(entry.constant));
    ::atc::Status status = writer.alignWeights(WeightLayout::alignment);
    if (status)
      status = writer.appendWeights(bytes.data(), bytes.size());
    if (!status)
      return status;
  }
  return {};
}

FailureOr<std::vector<uint8_t>>
RecipeEvaluator::makeModel(const Function &function) {
  auto program =
      compiled->lookupSymbol<plan::ProgramOp>(function.name + ".plan");
  FailureOr<WeightLayout> layout = WeightLayout::create(program, nullptr);
  if (failed(layout))
    return failure();
  FailureOr<::atc::Plan> plan =
      translatePlan(program, *layout, host, code, /*imageOffsets=*/{0});
  if (failed(plan))
    return failure();
  ::atc::Expected<std::vector<uint8_t>> planBytes = ::atc::serializePlan(*plan);
  if (!planBytes)
    return report(function.loc, planBytes.getDiagnostic());
  ::atc::MemorySink sink;
  auto writer = ::atc::OfflineModelWriter::begin(
      sink, {function.name, {}, false}, std::move(*planBytes));
  if (!writer)
    return report(function.loc, writer.getDiagnostic());
  if (::atc::Status status = appendSplats(*writer, *layout); !status)
    return report(function.loc, status.getDiagnostic());
  ::atc::ByteRange codeBytes{
      reinterpret_cast<const uint8_t *>(code.bytes.data()), code.bytes.size()};
  if (::atc::Status status = writer->finish(codeBytes, {}); !status)
    return report(function.loc, status.getDiagnostic());
  return std::move(sink.bytes);
}

LogicalResult RecipeEvaluator::run(const Function &function,
                                   ArrayRef<uint8_t> bytes, Receiver receiver) {
  auto model = ::atc::LoadedModel::fromMemory(bytes.data(), bytes.size());
  if (!model)
    return report(function.loc, model.getDiagnostic());
  ::atc::SessionOptions options;
  options.threads = threads;
  auto session = ::atc::Session::create(*model, options);
  if (!session)
    return report(function.loc, session.getDiagnostic());
  std::vector<std::vector<char>> values;
  for (auto [index, source] : llvm::enumerate(function.arguments)) {
    ArrayRef<char> data;
    if (auto *range = std::get_if<graph::WeightRange>(&source)) {
      std::optional<ArrayRef<char>> found = weights.getBytes(*range);
      if (!found)
        return emitError(function.loc,
                         "names bytes that the weight store lacks");
      data = *found;
    } else {
      values.push_back(getElementBytes(std::get<ElementsAttr>(source)));
      data = values.back();
    }
    if (::atc::Status status =
            (*session)->bindInput(index, data.data(), data.size(), nullptr, 0);
        !status)
      return report(function.loc, status.getDiagnostic());
  }
  if (::atc::Status status = (*session)->run(); !status)
    return report(function.loc, status.getDiagnostic());
  auto output = (*session)->output(0);
  if (!output)
    return report(function.loc, output.getDiagnostic());
  const ::atc::TensorRef &tensor = **output;
  std::optional<int64_t> size =
      ::atc::elementBytes(tensor.elementType, tensor.elementCount());
  return receiver(ArrayRef(reinterpret_cast<const char *>(tensor.data),
                           static_cast<size_t>(size.value_or(0))));
}

LogicalResult RecipeEvaluator::evaluate(StringRef recipe, Receiver receiver) {
  auto function = functions.find(recipe);
  if (function == functions.end())
    return emitError(UnknownLoc::get(context),
                     "expects a prepared recipe, got '")
           << recipe << "'";
  FailureOr<std::vector<uint8_t>> model = makeModel(function->second);
  if (failed(model))
    return failure();
  return run(function->second, *model, receiver);
}
