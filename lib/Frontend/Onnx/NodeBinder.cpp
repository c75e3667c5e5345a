// One node of a model, as the functions that import operators see it.
// SPDX-License-Identifier: Apache-2.0
#include "NodeBinder.h"

#include "GraphOrder.h"
#include "atc/Dialect/Graph/IR/ShapeValue.h"

namespace mlir::atc::onnx {

using ::onnx::AttributeProto;

NodeBinder::NodeBinder(const ::onnx::NodeProto &node, int version, int opset,
                       ArrayRef<Value> inputs, OpBuilder &builder, Location loc,
                       ConstantBuilder &constants,
                       ImportDiagnostics &diagnostics,
                       std::string &inferenceError)
    : node(node), version(version), opset(opset), inputs(inputs),
      builder(builder), loc(loc), constants(constants),
      diagnostics(diagnostics), inferenceError(inferenceError),
      usedOutputs(node.output_size(), true),
      results(node.output_size(), Value()) {
  while (!this->inputs.empty() && !this->inputs.back())
    this->inputs.pop_back();
}

std::string NodeBinder::describe() const {
  return (Twine(node.op_type()) + ", opset " + Twine(opset)).str();
}

void NodeBinder::invalid(const Twine &message) {
  if (failed)
    return;
  failed = true;
  diagnostics.error(::atc::ErrorCode::InvalidNode, message.str(),
                    "node " + quoted(describeNode(node)) + " (" + describe() +
                        ")");
}

void NodeBinder::unsupported(const Twine &reason) {
  if (failed)
    return;
  failed = true;
  diagnostics.unsupported(describe(), reason.str(), describeNode(node));
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

Value NodeBinder::input(unsigned index) {
  Value value = optionalInput(index);
  if (!value)
    invalid("input " + Twine(index) + " is missing");
  return value;
}

SmallVector<Value> NodeBinder::inputsFrom(unsigned first) {
  if (inputs.size() <= first)
    invalid("input " + Twine(first) + " is missing");
  SmallVector<Value> list;
  for (unsigned i = first; i < inputs.size(); ++i)
    list.push_back(input(i));
  return list;
}

RankedTensorType NodeBinder::rankedType(Value value) {
  if (failed)
    return {};
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    unsupported("an input of unknown rank");
  return type;
}

SmallVector<int64_t> NodeBinder::constantIntegers(Value value, StringRef what) {
  if (failed)
    return {};
  std::optional<SmallVector<int64_t>> known = knownIntegers(value);
  if (!known) {
    unsupported(Twine(what) + " that are computed at run time");
    return {};
  }
  return *known;
}

std::optional<SmallVector<int64_t>>
NodeBinder::knownIntegers(Value value) const {
  if (!value)
    return std::nullopt;
  return graph::constantShapeValue(value);
}

std::optional<SmallVector<double>> NodeBinder::knownFloats(Value value) const {
  DenseFPElementsAttr attr;
  if (!value || !matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  SmallVector<double> values;
  for (APFloat element : attr.getValues<APFloat>()) {
    bool losesInfo;
    element.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
    values.push_back(element.convertToDouble());
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

bool NodeBinder::hasAttribute(StringRef name) const {
  return llvm::any_of(node.attribute(), [&](const AttributeProto &attribute) {
    return attribute.name() == name;
  });
}

const AttributeProto *NodeBinder::find(StringRef name,
                                       AttributeProto::AttributeType type) {
  readAttributes.insert(name);
  if (failed)
    return nullptr;
  for (const AttributeProto &attribute : node.attribute()) {
    if (attribute.name() != name)
      continue;
    if (!attribute.ref_attr_name().empty())
      invalid("attribute '" + Twine(name) +
              "' refers to a function's attribute outside of a function");
    // The earliest files carry no type.
    else if (attribute.has_type() && attribute.type() != type)
      invalid("attribute '" + Twine(name) + "' has type " +
              AttributeProto::AttributeType_Name(attribute.type()) +
              " instead of " + AttributeProto::AttributeType_Name(type));
    else
      return &attribute;
    return nullptr;
  }
  return nullptr;
}

int64_t NodeBinder::integer(StringRef name, int64_t missing) {
  const AttributeProto *attribute = find(name, AttributeProto::INT);
  return attribute ? attribute->i() : missing;
}

int64_t NodeBinder::requiredInteger(StringRef name) {
  if (!hasAttribute(name))
    invalid("attribute '" + Twine(name) + "' is missing");
  return integer(name, 0);
}

bool NodeBinder::boolean(StringRef name, bool missing) {
  return integer(name, missing) != 0;
}

double NodeBinder::real(StringRef name, double missing) {
  const AttributeProto *attribute = find(name, AttributeProto::FLOAT);
  return attribute ? attribute->f() : missing;
}

std::string NodeBinder::string(StringRef name, StringRef missing) {
  const AttributeProto *attribute = find(name, AttributeProto::STRING);
  return attribute ? attribute->s() : missing.str();
}

std::optional<SmallVector<int64_t>> NodeBinder::integers(StringRef name) {
  const AttributeProto *attribute = find(name, AttributeProto::INTS);
  if (!attribute)
    return std::nullopt;
  return SmallVector<int64_t>(attribute->ints().begin(),
                              attribute->ints().end());
}

std::optional<SmallVector<double>> NodeBinder::reals(StringRef name) {
  const AttributeProto *attribute = find(name, AttributeProto::FLOATS);
  if (!attribute)
    return std::nullopt;
  return SmallVector<double>(attribute->floats().begin(),
                             attribute->floats().end());
}

const ::onnx::TensorProto *NodeBinder::tensor(StringRef name) {
  const AttributeProto *attribute = find(name, AttributeProto::TENSOR);
  return attribute ? &attribute->t() : nullptr;
}

bool NodeBinder::isSparse(StringRef name) const {
  return llvm::any_of(node.attribute(), [&](const AttributeProto &attribute) {
    return attribute.name() == name && attribute.has_sparse_tensor();
  });
}

void NodeBinder::ignore(std::initializer_list<StringRef> names) {
  for (StringRef name : names)
    readAttributes.insert(name);
}

int64_t NodeBinder::axis(int64_t value, int64_t rank) {
  if (value < -rank || value >= rank) {
    invalid("axis " + Twine(value) + " is outside of rank " + Twine(rank));
    return 0;
  }
  return value < 0 ? value + rank : value;
}

SmallVector<int64_t> NodeBinder::axes(ArrayRef<int64_t> values, int64_t rank) {
  SmallVector<int64_t> list;
  for (int64_t value : values)
    list.push_back(axis(value, rank));
  llvm::sort(list);
  if (std::adjacent_find(list.begin(), list.end()) != list.end())
    invalid("an axis is named twice");
  return list;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Value NodeBinder::finish(OperationState &state, bool infer) {
  inferenceError.clear();
  if (infer) {
    auto *interface = state.name.getInterface<InferTypeOpInterface>();
    assert(interface && "op does not infer its type");
    SmallVector<Type> types;
    if (mlir::failed(interface->inferReturnTypes(
            getContext(), loc, state.operands,
            state.attributes.getDictionary(getContext()),
            state.getRawProperties(), state.regions, types))) {
      invalid(inferenceError);
      return {};
    }
    state.types.assign(types.begin(), types.end());
  }
  Operation *op = builder.create(state);
  if (mlir::failed(op->getName().verifyInvariants(op))) {
    op->erase();
    invalid(inferenceError);
    return {};
  }
  SmallVector<Value> folded;
  if (succeeded(builder.tryFold(op, folded)) && !folded.empty()) {
    op->erase();
    return folded.front();
  }
  return op->getResult(0);
}

Value NodeBinder::constant(ElementsAttr value) {
  if (failed)
    return {};
  return graph::ConstantOp::create(builder, loc, value);
}

Value NodeBinder::scalar(double value, Type elementType) {
  if (failed)
    return {};
  if (!isa<FloatType, IntegerType>(elementType)) {
    unsupported("elements of a type that is not a number");
    return {};
  }
  return constant(getSplat(RankedTensorType::get({}, elementType), value));
}

Value NodeBinder::scalarLike(double value, Value like) {
  if (failed)
    return {};
  return scalar(value, getElementTypeOrSelf(like.getType()));
}

Value NodeBinder::integerList(ArrayRef<int64_t> values) {
  return constant(builder.getI64TensorAttr(values));
}

Value NodeBinder::tensorConstant(const ::onnx::TensorProto &tensor,
                                 StringRef name) {
  if (failed)
    return {};
  ::atc::Expected<Value> value = constants.build(builder, loc, tensor, name);
  if (value)
    return *value;
  ::atc::Diagnostic diagnostic = value.getDiagnostic();
  diagnostic.where =
      "node " + quoted(describeNode(node)) + " (" + describe() + ")";
  diagnostics.error(std::move(diagnostic));
  failed = true;
  return {};
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

bool NodeBinder::isOutputUsed(unsigned index) const {
  return index < usedOutputs.size() && usedOutputs[index];
}

StringRef NodeBinder::getOutputName(unsigned index) const {
  return static_cast<int>(index) < node.output_size() ? node.output(index)
                                                      : StringRef();
}

void NodeBinder::result(unsigned index, Value value) {
  if (index < results.size())
    results[index] = value;
}

SmallVector<Value> NodeBinder::finishNode() {
  for (const AttributeProto &attribute : node.attribute())
    if (!readAttributes.contains(attribute.name()))
      unsupported("attribute " + quoted(attribute.name()));
  for (unsigned i = 0; i < results.size(); ++i)
    if (!results[i] && isOutputUsed(i))
      unsupported("output " + Twine(i));
  if (failed)
    results.assign(results.size(), Value());
  return results;
}

} // namespace mlir::atc::onnx
