// One node of a model, as the functions that import operators see it.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_LIB_FRONTEND_ONNX_NODEBINDER_H
#define ATC_LIB_FRONTEND_ONNX_NODEBINDER_H

#include "Constants.h"
#include "ImportDiagnostics.h"
#include "atc/Dialect/Graph/IR/Graph.h"
#include "mlir/IR/Builders.h"
#include "onnx.pb.h"
#include "llvm/ADT/StringSet.h"
#include <optional>

namespace mlir::atc::onnx {

/// Whether conversions to an element type may saturate at its largest finite
/// value: those to floats of at most 8 bits.
bool saturates(Type elementType);

/// One size of a shape that is being put together.
struct Size {
  /// A number.
  Size(int64_t fixed) : fixed(fixed) {}
  /// A size of a ranked tensor, or the product of the dims [begin, end).
  Size(Value tensor, int64_t axis) : Size(tensor, axis, axis + 1) {}
  Size(Value tensor, int64_t begin, int64_t end)
      : tensor(tensor), begin(begin), end(end) {}
  /// The element of a 1-D i64 tensor of size 1.
  static Size computed(Value value) {
    Size size(ShapedType::kDynamic);
    size.value = value;
    return size;
  }

  int64_t fixed = ShapedType::kDynamic;
  Value tensor;
  int64_t begin = 0, end = 0;
  Value value;
};

/// Reads a node's inputs and attributes and builds ops for it.
///
/// The first error is reported with the node's name, operator and operator set;
/// from then on nothing is built and every request returns null, zero or
/// empty. A function therefore needs to look at ok() only before it uses what
/// must not be null, such as a type. An attribute that no one asked for is an
/// error too, so nothing in a model is ignored unknowingly.
class NodeBinder {
public:
  NodeBinder(const ::onnx::NodeProto &node, int version, int opset,
             ArrayRef<Value> inputs, OpBuilder &builder, Location loc,
             ConstantBuilder &constants, ImportDiagnostics &diagnostics,
             std::string &inferenceError);

  bool ok() const { return !failed; }
  /// The operator set that introduced the definition in force.
  int getVersion() const { return version; }
  StringRef getOpType() const { return node.op_type(); }
  OpBuilder &getBuilder() { return builder; }
  MLIRContext *getContext() const { return builder.getContext(); }
  Location getLoc() const { return loc; }

  /// Reports an error of the model (E16005).
  void invalid(const Twine &message);
  /// Reports something that we do not do (E16002).
  void unsupported(const Twine &reason);

  //===--------------------------------------------------------------------===//
  // Inputs
  //===--------------------------------------------------------------------===//

  /// Inputs in the node, omitted ones at the end not counted.
  unsigned getNumInputs() const { return inputs.size(); }
  /// An input that must be there.
  Value input(unsigned index);
  /// Null where the input is omitted.
  Value optionalInput(unsigned index) const {
    return index < inputs.size() ? inputs[index] : Value();
  }
  /// All inputs from `first` on, at least one, none omitted.
  SmallVector<Value> inputsFrom(unsigned first);

  /// The type of a value whose rank must be known.
  RankedTensorType rankedType(Value value);
  /// The elements of an integer tensor that must be constant or follow from
  /// static shapes; `what` names it in the error.
  SmallVector<int64_t> constantIntegers(Value value, StringRef what);
  /// The same, nullopt where they are not known, and for a null value.
  std::optional<SmallVector<int64_t>> knownIntegers(Value value) const;
  /// The elements of a float constant; nullopt where they are not known.
  std::optional<SmallVector<double>> knownFloats(Value value) const;

  //===--------------------------------------------------------------------===//
  // Attributes
  //===--------------------------------------------------------------------===//

  bool hasAttribute(StringRef name) const;
  int64_t integer(StringRef name, int64_t missing);
  int64_t requiredInteger(StringRef name);
  bool boolean(StringRef name, bool missing);
  double real(StringRef name, double missing);
  std::string string(StringRef name, StringRef missing);
  std::optional<SmallVector<int64_t>> integers(StringRef name);
  std::optional<SmallVector<double>> reals(StringRef name);
  const ::onnx::TensorProto *tensor(StringRef name);
  /// Whether an attribute holds a sparse tensor.
  bool isSparse(StringRef name) const;
  /// A string of a fixed set.
  template <typename T>
  T choice(StringRef name, StringRef missing,
           std::initializer_list<std::pair<StringRef, T>> choices);
  /// Marks attributes whose value cannot matter as read.
  void ignore(std::initializer_list<StringRef> names);

  /// An axis that may count from the end, in [0, rank).
  int64_t axis(int64_t value, int64_t rank);
  /// Axes in ascending order, without duplicates.
  SmallVector<int64_t> axes(ArrayRef<int64_t> values, int64_t rank);

  //===--------------------------------------------------------------------===//
  // Building
  //===--------------------------------------------------------------------===//

  /// Builds an op whose result type is inferred, and folds it. A violated
  /// constraint is an error of the model. Returns its one result.
  template <typename OpTy, typename... Args>
  Value create(Args &&...args) {
    if (failed)
      return {};
    OperationState state(loc, OpTy::getOperationName());
    OpTy::build(builder, state, TypeRange{builder.getNoneType()},
                std::forward<Args>(args)...);
    return finish(state, /*infer=*/true);
  }
  /// The same with a given result type.
  template <typename OpTy, typename... Args>
  Value createTyped(Type type, Args &&...args) {
    if (failed)
      return {};
    OperationState state(loc, OpTy::getOperationName());
    OpTy::build(builder, state, TypeRange{type}, std::forward<Args>(args)...);
    return finish(state, /*infer=*/false);
  }

  Value constant(ElementsAttr value);
  /// A scalar of an element type.
  Value scalar(double value, Type elementType);
  /// A scalar of the element type of `like`.
  Value scalarLike(double value, Value like);
  /// A 1-D i64 constant.
  Value integerList(ArrayRef<int64_t> values);
  /// A tensor of the model; `name` names its symbol if it is large.
  Value tensorConstant(const ::onnx::TensorProto &tensor, StringRef name);

  Value cast(Value value, Type elementType);
  Value transpose(Value value, ArrayRef<int64_t> permutation);
  Value reshape(Value value, ArrayRef<Size> sizes);
  /// Reshapes to sizes of which at most one is dynamic.
  Value reshape(Value value, ArrayRef<int64_t> sizes);
  /// Reshapes to the sizes in a 1-D i64 tensor as ONNX does: -1 is what is
  /// left, 0 copies unless `allowZero`.
  Value reshapeAs(Value value, Value shape, bool allowZero);
  /// Inserts dims of size 1 at axes of the result, in ascending order.
  Value unsqueeze(Value value, ArrayRef<int64_t> axes);
  /// Drops dims of size 1.
  Value squeeze(Value value, ArrayRef<int64_t> axes);
  /// Broadcasts to the sizes in a 1-D i64 tensor, as ONNX Expand.
  Value expandTo(Value value, Value shape);

  /// The size if it is known while importing, else ShapedType::kDynamic.
  int64_t getKnown(const Size &size) const;
  /// The size as a 1-D i64 tensor of one element.
  Value getValue(const Size &size);
  /// 1-D i64 tensor of the sizes of the dims [begin, end).
  Value sizes(Value value, int64_t begin, int64_t end);
  /// 1-D i64 tensor of all sizes.
  Value shapeTensor(ArrayRef<Size> sizes);

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  unsigned getNumOutputs() const { return node.output_size(); }
  /// Whether the model names an output and something uses it.
  bool isOutputUsed(unsigned index) const;
  StringRef getOutputName(unsigned index) const;
  void result(unsigned index, Value value);

  /// For the importer: which outputs are used.
  void setUsedOutputs(SmallVector<bool> used) { usedOutputs = std::move(used); }
  /// Checks that all attributes were read and all used outputs set; returns
  /// the results, null where an error was met.
  SmallVector<Value> finishNode();

private:
  const ::onnx::AttributeProto *
  find(StringRef name, ::onnx::AttributeProto::AttributeType type);
  Value finish(OperationState &state, bool infer);
  void resolveRest(RankedTensorType type, ArrayRef<bool> copied, size_t rest,
                   SmallVectorImpl<int64_t> &sizes);
  std::string describe() const;

  const ::onnx::NodeProto &node;
  int version, opset;
  SmallVector<Value> inputs;
  OpBuilder &builder;
  Location loc;
  ConstantBuilder &constants;
  ImportDiagnostics &diagnostics;
  /// What the context's diagnostic handler has caught last.
  std::string &inferenceError;
  llvm::StringSet<> readAttributes;
  SmallVector<bool> usedOutputs;
  SmallVector<Value> results;
  bool failed = false;
};

template <typename T>
T NodeBinder::choice(StringRef name, StringRef missing,
                     std::initializer_list<std::pair<StringRef, T>> choices) {
  std::string text = string(name, missing);
  for (const auto &[key, value] : choices)
    if (key == text)
      return value;
  invalid("attribute '" + Twine(name) + "' has the unknown value " +
          quoted(text));
  return choices.begin()->second;
}

} // namespace mlir::atc::onnx

#endif // ATC_LIB_FRONTEND_ONNX_NODEBINDER_H
