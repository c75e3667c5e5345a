// The last phase: writes an offline model.
// SPDX-License-Identifier: Apache-2.0
#include "Emission.h"
#include "ModelDefinition.h"
#include "PlanTranslation.h"
#include "atc/Model/OfflineModelWriter.h"

using namespace mlir;
using namespace mlir::atc;

/// Names of the function that is the model, and of its plan.
static constexpr StringLiteral mainName = "main", planName = "main.plan";

struct OfflineModelEmission::State {
  SymbolTable symbols;
  std::optional<WeightLayout> weights;
  CodeImage image;
  std::vector<uint8_t> planBytes;
  std::vector<uint8_t> graphBytes;
};

OfflineModelEmission::OfflineModelEmission(ModuleOp module,
                                           const EmissionInputs &inputs)
    : module(module), inputs(inputs),
      state(new State{SymbolTable(module), std::nullopt, {}, {}, {}}) {}

OfflineModelEmission::~OfflineModelEmission() = default;

LogicalResult OfflineModelEmission::prepareRecipes() {
  SmallVector<StringRef> recipes;
  for (const WeightEntry &entry : state->weights->getEntries())
    if (auto symbol = dyn_cast<FlatSymbolRefAttr>(entry.constant))
      if (state->symbols.lookup<graph::RecipeOp>(symbol.getAttr()))
        recipes.push_back(symbol.getValue());
  if (recipes.empty())
    return success();
  if (!inputs.evaluator)
    return module.emitError("this machine cannot evaluate constants: no CPU "
                            "target runs on it");
  return inputs.evaluator->prepare(module, recipes);
}

LogicalResult OfflineModelEmission::prepare() {
  auto program = state->symbols.lookup<plan::ProgramOp>(planName);
  auto function = state->symbols.lookup<func::FuncOp>(mainName);
  if (!program || !function)
    return module.emitError("expects a planned function '") << mainName << "'";
  FailureOr<WeightLayout> layout =
      WeightLayout::create(program, inputs.weights);
  FailureOr<CodeImage> image = inputs.target->emit(module);
  if (failed(layout) || failed(image))
    return failure();
  state->weights = std::move(*layout);
  state->image = std::move(*image);
  FailureOr<::atc::Plan> plan =
      translatePlan(program, *state->weights, *inputs.target, state->image,
                    /*imageOffsets=*/{0});
  if (failed(plan))
    return failure();
  ::atc::Expected<std::vector<uint8_t>> planBytes = ::atc::serializePlan(*plan);
  if (!planBytes)
    return program.emitError(planBytes.getDiagnostic().message);
  state->planBytes = std::move(*planBytes);
  ModelSizes sizes{plan->arenaBytes, state->weights->getTotalBytes(),
                   state->image.bytes.size(), state->planBytes.size()};
  state->graphBytes =
      serializeModelDefinition(function, *state->weights, *inputs.options,
                               inputs.target->getName(), sizes);
  return prepareRecipes();
}

namespace mlir::atc {

/// Appends constants to the weights partition and remembers a failure.
class WeightSink {
public:
  WeightSink(::atc::OfflineModelWriter &writer, ::atc::Status &status)
      : writer(writer), status(status) {}

  LogicalResult align() {
    status = writer.alignWeights(WeightLayout::alignment);
    return failure(!status.ok());
  }
  LogicalResult append(ArrayRef<char> bytes) {
    status = writer.appendWeights(bytes.data(), bytes.size());
    return failure(!status.ok());
  }
  uint64_t getPosition() const { return writer.weightsPosition(); }

private:
  ::atc::OfflineModelWriter &writer;
  ::atc::Status &status;
};

} // namespace mlir::atc

LogicalResult OfflineModelEmission::appendWeight(WeightSink &sink,
                                                 Attribute constant) {
  if (auto value = dyn_cast<ElementsAttr>(constant))
    return sink.append(getElementBytes(value));
  StringAttr name = cast<FlatSymbolRefAttr>(constant).getAttr();
  if (auto data = state->symbols.lookup<graph::WeightDataOp>(name)) {
    std::optional<ArrayRef<char>> bytes =
        inputs.weights->getBytes({static_cast<uint32_t>(data.getSource()),
                                  static_cast<uint64_t>(data.getOffset()),
                                  static_cast<uint64_t>(data.getLength())});
    if (!bytes)
      return data.emitOpError("names bytes that the weight store lacks");
    return sink.append(*bytes);
  }
  return inputs.evaluator->evaluate(
      name, [&](ArrayRef<char> bytes) { return sink.append(bytes); });
}

LogicalResult OfflineModelEmission::write(::atc::ByteSink &sink,
                                          ::atc::Status &sinkStatus) {
  ::atc::OfflineModelInfo info;
  info.name = inputs.options->modelName;
  info.platformVersion = "OpenATC " ATC_VERSION;
  auto writer =
      ::atc::OfflineModelWriter::begin(sink, info, std::move(state->planBytes));
  if (!writer) {
    sinkStatus = writer.status();
    return failure();
  }
  WeightSink weightSink(*writer, sinkStatus);
  for (const WeightEntry &entry : state->weights->getEntries()) {
    if (failed(weightSink.align()) ||
        failed(appendWeight(weightSink, entry.constant)))
      return failure();
    if (weightSink.getPosition() != entry.offset + entry.bytes)
      return module.emitError("a constant has another size than planned: ")
             << entry.constant;
  }
  const CodeImage &image = state->image;
  sinkStatus =
      writer->finish({reinterpret_cast<const uint8_t *>(image.bytes.data()),
                      image.bytes.size()},
                     {state->graphBytes.data(), state->graphBytes.size()});
  return failure(!sinkStatus.ok());
}
