// Builds the function `main` from the graph of a model.
// SPDX-License-Identifier: Apache-2.0
#include "GraphImporter.h"

#include "NodeBinder.h"
#include "OpTable.h"
#include "atc/Target/ElementTypes.h"
#include "mlir/IR/Verifier.h"

namespace mlir::atc::onnx {

using ::atc::ErrorCode;

/// IR versions of the format that are supported.
static constexpr int64_t kOldestIrVersion = 3;
static constexpr int64_t kNewestIrVersion = ::onnx::IR_VERSION;

static std::string quotedList(ArrayRef<std::string> names) {
  return llvm::join(llvm::map_range(names, quoted), ", ");
}

static bool isStandardDomain(StringRef domain) {
  return domain.empty() || domain == "ai.onnx";
}

GraphImporter::GraphImporter(MLIRContext &context, const ModelSource &source,
                             const OnnxImportOptions &options,
                             graph::WeightStore &store,
                             ImportDiagnostics &diagnostics)
    : context(context), model(*source.model), graph(model.graph()),
      options(options), store(store), diagnostics(diagnostics),
      reader(source, store), builder(&context) {
  for (const ::onnx::TensorProto &tensor : graph.initializer())
    initializers[tensor.name()] = &tensor;
  for (const auto &tensor : graph.sparse_initializer())
    initializers[tensor.values().name()] = nullptr;
}

LogicalResult GraphImporter::run(ModuleOp module) {
  if (failed(checkVersions()))
    return failure();
  ::atc::Expected<GraphOrder> order = GraphOrder::create(graph);
  if (!order) {
    diagnostics.error(order.getDiagnostic());
    return failure();
  }
  if (failed(resolveOutputs()))
    return failure();
  for (const std::string &output : outputs) {
    if (!order->isDefined(output)) {
      diagnostics.error(ErrorCode::InvalidGraph,
                        "output " + quoted(output) + " is not defined");
      return failure();
    }
    used.insert(output);
  }
  ::atc::Expected<std::vector<int>> sorted = order->sort(outputs);
  if (!sorted) {
    diagnostics.error(sorted.getDiagnostic());
    return failure();
  }
  for (int index : *sorted)
    for (const std::string &input : graph.node(index).input())
      used.insert(input);

  // Constraints that ops find violated become errors of the node at hand.
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return failure();
    if (inferenceError.empty())
      inferenceError = diagnostic.str();
    return success();
  });
  if (failed(createFunction(module)))
    return failure();
  for (int index : *sorted)
    importNode(graph.node(index));
  finishFunction();
  if (diagnostics.hasErrors())
    return failure();
  inferenceError.clear();
  if (failed(verify(module)))
    diagnostics.error(ErrorCode::Internal,
                      "import built an invalid module: " + inferenceError);
  return success(!diagnostics.hasErrors());
}

//===----------------------------------------------------------------------===//
// Versions and outputs
//===----------------------------------------------------------------------===//

LogicalResult GraphImporter::checkVersions() {
  if (!model.has_graph()) {
    diagnostics.error(ErrorCode::MissingGraphIo, "the model has no graph");
    return failure();
  }
  if (model.ir_version() < kOldestIrVersion ||
      model.ir_version() > kNewestIrVersion) {
    diagnostics.error(ErrorCode::UnsupportedVersion,
                      "IR version " + std::to_string(model.ir_version()) +
                          "; supported are " +
                          std::to_string(kOldestIrVersion) + " to " +
                          std::to_string(kNewestIrVersion));
    return failure();
  }
  // Domains that no node uses do not matter; a node of another domain is
  // reported when it is met.
  std::optional<int64_t> version;
  for (const ::onnx::OperatorSetIdProto &import : model.opset_import()) {
    if (!isStandardDomain(import.domain()))
      continue;
    if (version && *version != import.version()) {
      diagnostics.error(ErrorCode::UnsupportedVersion,
                        "operator sets " + std::to_string(*version) + " and " +
                            std::to_string(import.version()) +
                            " of ai.onnx at once");
      return failure();
    }
    version = import.version();
  }
  // A model without operators of the standard need not name its version; the
  // nodes that it has are reported one by one.
  if (!version && llvm::none_of(graph.node(), [](const auto &node) {
        return isStandardDomain(node.domain());
      }))
    version = OpTable::getNewestOpset();
  if (!version || *version < kOldestOpset ||
      *version > OpTable::getNewestOpset()) {
    diagnostics.error(
        ErrorCode::UnsupportedVersion,
        (version ? "operator set " + std::to_string(*version) + " of ai.onnx"
                 : std::string("no operator set of ai.onnx is named")) +
            "; supported are " + std::to_string(kOldestOpset) + " to " +
            std::to_string(OpTable::getNewestOpset()));
    return failure();
  }
  opset = static_cast<int>(*version);
  return success();
}

std::string GraphImporter::findOutput(StringRef text) const {
  auto [name, number] = text.rsplit(':');
  unsigned index;
  bool hasIndex = !number.getAsInteger(10, index);
  std::string found;
  for (const ::onnx::NodeProto &node : graph.node()) {
    if (llvm::is_contained(node.output(), text))
      return text.str();
    if (found.empty() && hasIndex && node.name() == name &&
        index < static_cast<unsigned>(node.output_size()))
      found = node.output(index);
  }
  return found;
}

LogicalResult GraphImporter::resolveOutputs() {
  if (options.outputs.empty())
    for (const ::onnx::ValueInfoProto &output : graph.output())
      outputs.push_back(output.name());
  for (const std::string &text : options.outputs) {
    std::string found = findOutput(text);
    if (found.empty()) {
      std::vector<std::string> known;
      for (const ::onnx::ValueInfoProto &output : graph.output())
        known.push_back(output.name());
      diagnostics.error(ErrorCode::UnknownTensorName,
                        "the model has no value or node output " +
                            quoted(text) + "; its outputs are " +
                            quotedList(known));
      return failure();
    }
    outputs.push_back(found);
  }
  if (outputs.empty())
    diagnostics.error(ErrorCode::MissingGraphIo, "the graph has no outputs");
  return success(!diagnostics.hasErrors());
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

Type GraphImporter::convertInputType(const ::onnx::ValueInfoProto &input) {
  std::string where = "input " + quoted(input.name());
  if (!input.type().has_tensor_type()) {
    diagnostics.error(ErrorCode::UnsupportedType,
                      "only tensors are supported as inputs", where);
    return {};
  }
  const ::onnx::TypeProto::Tensor &tensor = input.type().tensor_type();
  Type element = getElementType(&context, tensor.elem_type());
  if (!element) {
    diagnostics.error(
        ErrorCode::UnsupportedType,
        "unknown element type " + std::to_string(tensor.elem_type()), where);
    return {};
  }
  if (!tensor.has_shape())
    return applyInputShape(input, UnrankedTensorType::get(element));
  SmallVector<int64_t> sizes;
  for (const auto &dim : tensor.shape().dim())
    // Exporters write -1 for an open size too.
    sizes.push_back(dim.has_dim_value() && dim.dim_value() >= 0
                        ? dim.dim_value()
                        : ShapedType::kDynamic);
  return applyInputShape(input, RankedTensorType::get(sizes, element));
}

Type GraphImporter::applyInputShape(const ::onnx::ValueInfoProto &input,
                                    Type type) {
  auto asked = llvm::find_if(options.inputShapes, [&](const auto &shape) {
    return shape.name == input.name();
  });
  if (asked == options.inputShapes.end())
    return type;
  std::string where = "input " + quoted(input.name());
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (ranked && ranked.getRank() != static_cast<int64_t>(asked->sizes.size())) {
    diagnostics.error(ErrorCode::RankMismatch,
                      std::to_string(asked->sizes.size()) +
                          " sizes were given, the input has " +
                          std::to_string(ranked.getRank()) + " dimensions",
                      where);
    return {};
  }
  SmallVector<int64_t> sizes;
  for (auto [index, size] : llvm::enumerate(asked->sizes)) {
    int64_t own = ranked ? ranked.getDimSize(index) : ShapedType::kDynamic;
    if (size >= 0 && !ShapedType::isDynamic(own) && size != own) {
      diagnostics.error(ErrorCode::DimensionMismatch,
                        "dimension " + std::to_string(index) + " is " +
                            std::to_string(own) + ", not " +
                            std::to_string(size),
                        where);
      return {};
    }
    sizes.push_back(size >= 0 ? size : own);
  }
  return RankedTensorType::get(sizes, getElementTypeOrSelf(type));
}

/// A dim's name by which others are told to be equal; empty for a size that is
/// given. Some exporters write "?" for every size that they do not know.
static StringRef getDimName(const ::onnx::TensorShapeProto::Dimension &dim,
                            int64_t size) {
  StringRef name = dim.dim_param();
  bool isName = llvm::any_of(
      name, [](char c) { return llvm::isAlpha(c) || (c & 0x80) || c == '_'; });
  return ShapedType::isDynamic(size) && isName ? name : StringRef();
}

void GraphImporter::nameDims(unsigned index,
                             const ::onnx::ValueInfoProto &input, Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  const auto &dims = input.type().tensor_type().shape().dim();
  if (!ranked || ranked.getRank() != dims.size())
    return;
  SmallVector<StringRef> names;
  for (auto [dim, size] : llvm::zip_equal(dims, ranked.getShape()))
    names.push_back(getDimName(dim, size));
  if (!llvm::all_of(names, [](StringRef name) { return name.empty(); }))
    function.setArgAttr(index, graph::GraphDialect::getDimsAttrName(),
                        builder.getStrArrayAttr(names));
}

LogicalResult GraphImporter::checkInputShapeNames() {
  for (const OnnxImportOptions::InputShape &shape : options.inputShapes) {
    std::string known;
    bool found = false;
    for (const ::onnx::ValueInfoProto &input : graph.input()) {
      if (isInitializer(input.name()))
        continue;
      found |= input.name() == shape.name;
      known += (known.empty() ? "" : ", ") + quoted(input.name());
    }
    if (found)
      continue;
    diagnostics.error(ErrorCode::UnknownTensorName,
                      "the model has no input " + quoted(shape.name) +
                          "; its inputs are " + known);
    return failure();
  }
  return success();
}

LogicalResult GraphImporter::createFunction(ModuleOp module) {
  if (failed(checkInputShapeNames()))
    return failure();
  SmallVector<const ::onnx::ValueInfoProto *> arguments;
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (const ::onnx::ValueInfoProto &input : graph.input()) {
    // With a default, an input is a constant. A cut graph may not need it.
    if (isInitializer(input.name()) ||
        (!options.outputs.empty() && !used.contains(input.name())))
      continue;
    arguments.push_back(&input);
    types.push_back(convertInputType(input));
    locations.push_back(NameLoc::get(builder.getStringAttr(input.name())));
  }
  if (diagnostics.hasErrors())
    return failure();

  function = func::FuncOp::create(builder.getUnknownLoc(), "main",
                                  builder.getFunctionType(types, {}));
  module.push_back(function);
  Block *entry = builder.createBlock(&function.getBody(), {}, types, locations);
  for (auto [index, input] : llvm::enumerate(arguments)) {
    function.setArgAttr(index, graph::GraphDialect::getNameAttrName(),
                        builder.getStringAttr(input->name()));
    nameDims(index, *input, types[index]);
    values[input->name()] = entry->getArgument(index);
  }
  constants.emplace(function, reader, store);
  return success();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

Location GraphImporter::getLocation(const ::onnx::NodeProto &node) {
  NamedAttribute source[] = {
      builder.getNamedAttr("op_type", builder.getStringAttr(node.op_type())),
      builder.getNamedAttr("opset", builder.getI64IntegerAttr(opset))};
  return FusedLoc::get(
      &context, {NameLoc::get(builder.getStringAttr(describeNode(node)))},
      builder.getDictionaryAttr(source));
}

Value GraphImporter::getInitializer(const std::string &name) {
  auto entry = initializers.find(name);
  if (entry == initializers.end())
    return {};
  if (!entry->second) {
    diagnostics.unsupported("sparse initializer", "not supported", name);
    return {};
  }
  // Together at the start of the function, in order of first use.
  OpBuilder::InsertionGuard guard(builder);
  if (lastConstant)
    builder.setInsertionPointAfter(lastConstant);
  else
    builder.setInsertionPointToStart(&function.getBody().front());
  ::atc::Expected<Value> value = constants->build(
      builder, NameLoc::get(builder.getStringAttr(name)), *entry->second, name);
  if (!value) {
    ::atc::Diagnostic diagnostic = value.getDiagnostic();
    diagnostic.where = "initializer " + quoted(name);
    diagnostics.error(std::move(diagnostic));
    return {};
  }
  lastConstant = value->getDefiningOp();
  return *value;
}

Value GraphImporter::getValue(const std::string &name) {
  auto [entry, isNew] = values.try_emplace(name);
  if (isNew)
    entry->second = getInitializer(name);
  return entry->second;
}

std::string GraphImporter::explainUnknown(const ::onnx::NodeProto &node,
                                          int version) const {
  for (const ::onnx::FunctionProto &function : model.functions())
    if (function.domain() == node.domain() && function.name() == node.op_type())
      return "functions of the model are not supported";
  if (!isStandardDomain(node.domain()))
    return "operators of domain " + quoted(node.domain()) +
           " are not supported";
  if (version == 0)
    return "the operator is not part of the operator set";
  return "version " + std::to_string(version) +
         " of the operator is not supported";
}

void GraphImporter::importNode(const ::onnx::NodeProto &node) {
  OpTable::Match match;
  bool isFunction = llvm::any_of(model.functions(), [&](const auto &function) {
    return function.domain() == node.domain() &&
           function.name() == node.op_type();
  });
  if (isStandardDomain(node.domain()) && !isFunction)
    match = OpTable::get().find(node.op_type(), opset);
  if (!match.function)
    diagnostics.unsupported(node.op_type() + ", opset " + std::to_string(opset),
                            explainUnknown(node, match.version),
                            describeNode(node));

  SmallVector<Value> inputs;
  bool complete = match.function != nullptr;
  for (const std::string &name : node.input()) {
    Value value = name.empty() ? Value() : getValue(name);
    complete &= name.empty() || value;
    inputs.push_back(value);
  }
  SmallVector<Value> results(node.output_size());
  if (complete) {
    NodeBinder binder(node, match.version, opset, inputs, builder,
                      getLocation(node), *constants, diagnostics,
                      inferenceError);
    SmallVector<bool> usedOutputs;
    for (const std::string &output : node.output())
      usedOutputs.push_back(!output.empty() && used.contains(output));
    binder.setUsedOutputs(std::move(usedOutputs));
    match.function(binder);
    results = binder.finishNode();
  }
  for (auto [name, value] : llvm::zip(node.output(), results))
    if (!name.empty())
      values[name] = value;
}

void GraphImporter::finishFunction() {
  SmallVector<Value> results;
  for (const std::string &output : outputs)
    results.push_back(getValue(output));
  if (diagnostics.hasErrors() || failed(applyOutputTypes(results)))
    return;
  func::ReturnOp::create(builder, builder.getUnknownLoc(), results);
  function.setFunctionType(builder.getFunctionType(
      function.getArgumentTypes(), ValueRange(results).getTypes()));
  for (auto [index, output] : llvm::enumerate(outputs))
    function.setResultAttr(index, graph::GraphDialect::getNameAttrName(),
                           builder.getStringAttr(output));
  eraseUnused();
}

LogicalResult GraphImporter::applyOutputTypes(SmallVectorImpl<Value> &results) {
  for (const OnnxImportOptions::OutputType &wanted : options.outputTypes) {
    Type element = ::mlir::atc::getElementType(&context, wanted.type);
    // An input or an initializer may be an output too, by its own name.
    std::string name = wanted.output;
    if (!llvm::is_contained(outputs, name))
      name = findOutput(name);
    bool isFound = wanted.output.empty();
    for (auto [output, value] : llvm::zip_equal(outputs, results)) {
      if (!wanted.output.empty() && output != name)
        continue;
      isFound = true;
      if (getElementTypeOrSelf(value) != element)
        value = graph::CastOp::create(builder, value.getLoc(), value, element,
                                      /*saturate=*/false);
    }
    if (isFound)
      continue;
    diagnostics.error(ErrorCode::UnknownTensorName,
                      "the model has no output " + quoted(wanted.output) +
                          " to give another element type; its outputs are " +
                          quotedList(outputs));
    return failure();
  }
  return success();
}

/// Drops what only import needed: shapes and axes given as constants.
void GraphImporter::eraseUnused() {
  Block &body = function.getBody().front();
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(body.getOperations())))
    if (isOpTriviallyDead(&op))
      op.erase();
  llvm::StringSet<> symbols;
  for (graph::WeightOp weight : body.getOps<graph::WeightOp>())
    symbols.insert(weight.getSymbol());
  auto module = function->getParentOfType<ModuleOp>();
  for (auto data :
       llvm::make_early_inc_range(module.getOps<graph::WeightDataOp>()))
    if (!symbols.contains(data.getSymName()))
      data.erase();
}

} // namespace mlir::atc::onnx
