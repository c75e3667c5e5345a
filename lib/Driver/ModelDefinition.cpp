// The readable graph of an offline model: GE's ModelDef.
// SPDX-License-Identifier: Apache-2.0
#include "ModelDefinition.h"
#include "PlanTranslation.h"
#include "SourceNames.h"
#include "atc/Target/TensorLayout.h"
#include "ge.pb.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

using namespace mlir;
using namespace mlir::atc;
namespace proto = ::ge::proto;

namespace {

void setText(proto::AttrDef &attribute, StringRef text) {
  attribute.set_s(text.str());
}

void setIntegers(proto::AttrDef &attribute, ArrayRef<int64_t> values) {
  proto::AttrDef::ListValue *list = attribute.mutable_list();
  list->set_val_type(proto::AttrDef::ListValue::VT_LIST_INT);
  for (int64_t value : values)
    list->add_i(value);
}

void setTexts(proto::AttrDef &attribute, ArrayRef<std::string> values) {
  proto::AttrDef::ListValue *list = attribute.mutable_list();
  list->set_val_type(proto::AttrDef::ListValue::VT_LIST_STRING);
  for (const std::string &value : values)
    list->add_s(value);
}

/// GE's name for the order of dims.
StringRef getFormat(const ::atc::PhysicalLayout &layout, int64_t rank) {
  if (rank != 4 || !layout.isStrided())
    return "ND";
  if (layout.permutation == std::vector<unsigned>{0, 2, 3, 1})
    return "NHWC";
  return layout.permutation == std::vector<unsigned>{0, 1, 2, 3} ? "NCHW"
                                                                 : "ND";
}

/// An operator's name as GE writes it: "max_pool" is MaxPool.
std::string toOperatorType(StringRef mnemonic) {
  std::string type;
  SmallVector<StringRef> words;
  mnemonic.split(words, '_', -1, /*KeepEmpty=*/false);
  for (StringRef word : words)
    type += llvm::toUpper(word.front()) + word.drop_front().str();
  return type;
}

/// The name that the model gives to an input or output.
std::string getPortName(DictionaryAttr attributes, StringRef kind,
                        unsigned index) {
  if (attributes)
    if (auto name = attributes.getAs<StringAttr>(
            graph::GraphDialect::getNameAttrName()))
      return name.getValue().str();
  return kind.str() + std::to_string(index);
}

/// A tensor of the graph: an output of an op.
struct Output {
  proto::OpDef *op = nullptr;
  int index = 0;
};

class GraphWriter {
public:
  GraphWriter(func::FuncOp function, const WeightLayout &weights,
              proto::GraphDef &graph)
      : function(function), symbols(function->getParentOfType<ModuleOp>()),
        weights(weights), graph(graph) {}

  void write();

private:
  proto::OpDef *addOp(StringRef name, StringRef type);
  void describe(Value value, proto::TensorDescriptor &descriptor) const;
  void addOutput(proto::OpDef *op, Value value);
  void addInput(proto::OpDef *op, Value value);
  void addSources(proto::OpDef *op, Location loc);

  void addData(BlockArgument argument);
  void addConstant(Operation *op);
  void addLaunch(graph::LaunchOp launch);
  void addPlain(Operation *op);
  void addNetOutput(func::ReturnOp op);

  func::FuncOp function;
  SymbolTable symbols;
  const WeightLayout &weights;
  proto::GraphDef &graph;
  DenseMap<Value, Output> outputs;
  llvm::StringSet<> names;
};

} // namespace

proto::OpDef *GraphWriter::addOp(StringRef name, StringRef type) {
  std::string unique = name.empty() ? type.str() : name.str();
  // A name may hold any character; only ':' separates it from an index, and
  // readers split at the last one.
  for (unsigned count = 1; !names.insert(unique).second; ++count)
    unique = (name.empty() ? type : name).str() + "_" + std::to_string(count);
  proto::OpDef *op = graph.add_op();
  op->set_name(unique);
  op->set_type(type.str());
  op->set_id(graph.op_size() - 1);
  return op;
}

/// Weights show their storage, since that is what their bytes are; other
/// tensors their logical shape.
void GraphWriter::describe(Value value,
                           proto::TensorDescriptor &descriptor) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return;
  std::optional<::atc::ElementType> element =
      getElementType(type.getElementType());
  ::atc::PhysicalLayout layout = getLayout(type);
  Operation *def = value.getDefiningOp();
  bool isConstant = def && isa<graph::WeightOp, graph::ConstantOp>(def);
  if (element)
    descriptor.set_dtype(
        static_cast<proto::DataType>(::atc::elementTypeInfo(*element).geCode));
  StringRef format = getFormat(layout, type.getRank());
  std::optional<std::vector<int64_t>> storage =
      type.hasStaticShape() ? layout.physicalShape(type.getShape().vec())
                            : std::nullopt;
  // An open size is -1, as in GE.
  SmallVector<int64_t> logical =
      llvm::map_to_vector(type.getShape(), [](int64_t size) {
        return ShapedType::isDynamic(size) ? -1 : size;
      });
  proto::ShapeDef *shape = descriptor.mutable_shape();
  for (int64_t size :
       isConstant &&storage ? ArrayRef<int64_t>(*storage) : logical)
    shape->add_dim(size);
  descriptor.set_layout(isConstant ? "ND" : format.str());
  auto &attributes = *descriptor.mutable_attr();
  setText(attributes["origin_format"], type.getRank() == 4 ? "NCHW" : "ND");
  setIntegers(attributes["origin_shape"], logical);
  if (storage && !layout.isRowMajor())
    setIntegers(attributes["storage_shape"], *storage);
}

void GraphWriter::addOutput(proto::OpDef *op, Value value) {
  outputs[value] = {op, op->output_desc_size()};
  describe(value, *op->add_output_desc());
}

void GraphWriter::addInput(proto::OpDef *op, Value value) {
  Output source = outputs.lookup(value);
  if (!source.op)
    return;
  op->add_input(source.op->name() + ":" + std::to_string(source.index));
  op->add_src_name(source.op->name());
  op->add_src_index(source.index);
  source.op->add_dst_name(op->name());
  source.op->add_dst_index(op->input_desc_size());
  op->add_is_input_const(source.op->type() == "Const");
  describe(value, *op->add_input_desc());
}

void GraphWriter::addSources(proto::OpDef *op, Location loc) {
  SmallVector<std::string> sources;
  for (const SourceNode &node : getSourceNodes(loc))
    sources.push_back(node.name.str());
  if (!sources.empty())
    setTexts((*op->mutable_attr())["_datadump_original_op_names"], sources);
}

void GraphWriter::addData(BlockArgument argument) {
  unsigned index = argument.getArgNumber();
  proto::OpDef *op = addOp(
      getPortName(function.getArgAttrDict(index), "input", index), "Data");
  (*op->mutable_attr())["index"].set_i(index);
  addOutput(op, argument);
  *op->add_input_desc() = op->output_desc(0);
  graph.add_input(op->name() + ":0");
}

void GraphWriter::addConstant(Operation *op) {
  auto weight = dyn_cast<graph::WeightOp>(op);
  Attribute constant = weight ? Attribute(weight.getSymbolAttr())
                              : cast<graph::ConstantOp>(op).getValueAttr();
  proto::OpDef *node =
      addOp(weight ? weight.getSymbol() : StringRef("constant"), "Const");
  addOutput(node, op->getResult(0));
  proto::TensorDef *tensor = (*node->mutable_attr())["value"].mutable_t();
  *tensor->mutable_desc() = node->output_desc(0);
  std::optional<WeightEntry> entry = weights.lookup(constant);
  if (!entry)
    return;
  tensor->mutable_desc()->set_data_offset(entry->offset);
  tensor->mutable_desc()->set_weight_size(entry->bytes);
  (*tensor->mutable_desc()->mutable_attr())["merged_offset"].set_i(
      entry->offset);
}

void GraphWriter::addLaunch(graph::LaunchOp launch) {
  // By now the kernel is code; its module still says what it was.
  auto module = symbols.lookup<ModuleOp>(launch.getKernelAttr().getAttr());
  auto anchor = module->getAttrOfType<StringAttr>("graph.anchor");
  SmallVector<SourceNode> nodes = getSourceNodes(launch.getLoc());
  std::string type =
      anchor ? toOperatorType(anchor.getValue()) : std::string("Kernel");
  if (anchor && anchor.getValue() == "relayout")
    type = "TransData";
  // The node of the model that the anchor came from gives name and spelling.
  StringRef name = nodes.empty() ? StringRef() : nodes.front().name;
  for (const SourceNode &node : nodes)
    if (StringRef(node.opType).equals_insensitive(type)) {
      name = node.name;
      type = node.opType.str();
      break;
    }
  proto::OpDef *op = addOp(name, type);
  for (Value argument : launch.getArgs())
    addInput(op, argument);
  for (Value result : launch.getResults())
    addOutput(op, result);
  setText((*op->mutable_attr())["kernel"], launch.getKernel());
  if (auto name = module->getAttrOfType<StringAttr>("graph.template"))
    setText((*op->mutable_attr())["template"], name.getValue());
  addSources(op, launch.getLoc());
}

void GraphWriter::addPlain(Operation *op) {
  SmallVector<SourceNode> nodes = getSourceNodes(op->getLoc());
  std::string type = nodes.empty() || nodes.front().opType.empty()
                         ? toOperatorType(op->getName().stripDialect())
                         : nodes.front().opType.str();
  if (auto call = dyn_cast<graph::HostCallOp>(op))
    type = call.getName().str();
  proto::OpDef *node =
      addOp(nodes.empty() ? StringRef() : nodes.front().name, type);
  for (Value operand : op->getOperands())
    addInput(node, operand);
  for (Value result : op->getResults())
    addOutput(node, result);
  addSources(node, op->getLoc());
}

void GraphWriter::addNetOutput(func::ReturnOp op) {
  proto::OpDef *node = addOp("Node_Output", "NetOutput");
  for (auto [index, value] : llvm::enumerate(op.getOperands())) {
    addInput(node, value);
    graph.add_output(node->name() + ":" + std::to_string(index));
  }
}

void GraphWriter::write() {
  graph.set_name("main");
  for (BlockArgument argument : function.getArguments())
    addData(argument);
  for (Operation &op : function.front()) {
    if (isa<graph::WeightOp, graph::ConstantOp>(op))
      addConstant(&op);
    else if (auto launch = dyn_cast<graph::LaunchOp>(op))
      addLaunch(launch);
    else if (auto returnOp = dyn_cast<func::ReturnOp>(op))
      addNetOutput(returnOp);
    else if (llvm::any_of(op.getResultTypes(), llvm::IsaPred<TensorType>))
      addPlain(&op);
    // What is left computes sizes for the plan.
  }
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

std::string
mlir::atc::normalizedCommandLine(const ::atc::CompileOptions &options,
                                 StringRef target) {
  std::string text =
      "atc --framework=" + std::to_string(static_cast<int>(options.framework)) +
      " --soc_version=" + target.str();
  auto join = [&](StringRef name, auto &&range, auto &&format) {
    std::string list;
    for (const auto &entry : range)
      list += (list.empty() ? "" : ";") + format(entry);
    if (!list.empty())
      text += (" --" + name + "=").str() + list;
  };
  join("input_shape", options.inputShapes, [](const auto &shape) {
    std::string sizes;
    for (int64_t size : shape.sizes)
      sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
    return shape.name + ":" + sizes;
  });
  join("out_nodes", options.outputs,
       [](const std::string &name) { return name; });
  join("output_type", options.outputTypes, [](const auto &type) {
    return (type.output.empty() ? "" : type.output + ":") +
           std::string(::atc::elementTypeInfo(type.type).text);
  });
  if (options.precision != ::atc::Precision::Default)
    text += options.precision == ::atc::Precision::Origin
                ? " --precision_mode_v2=origin"
                : " --precision_mode_v2=fp16";
  return text;
}

static void setModelAttributes(proto::ModelDef &model, func::FuncOp function,
                               const ::atc::CompileOptions &options,
                               StringRef target, const ModelSizes &sizes) {
  auto &attributes = *model.mutable_attr();
  attributes["memory_size"].set_i(sizes.arenaBytes);
  attributes["weight_size"].set_i(sizes.weightBytes);
  attributes["stream_num"].set_i(1);
  attributes["event_num"].set_i(0);
  attributes["label_num"].set_i(0);
  setText(attributes["atc_version"], "OpenATC " ATC_VERSION);
  setText(attributes["atc_cmdline"], normalizedCommandLine(options, target));
  setText(attributes["soc_version"], target);
  setText(attributes["framework_type"],
          std::to_string(static_cast<int>(options.framework)));
  setIntegers(attributes["om_info_list"],
              {static_cast<int64_t>(sizes.weightBytes),
               static_cast<int64_t>(sizes.codeBytes), 0,
               static_cast<int64_t>(sizes.planBytes), 0});
  SmallVector<std::string> outputNames;
  for (unsigned index = 0; index < function.getNumResults(); ++index)
    outputNames.push_back(
        getPortName(function.getResultAttrDict(index), "output", index));
  setTexts(attributes["attr_model_out_nodes_name"], outputNames);
}

std::vector<uint8_t>
mlir::atc::serializeModelDefinition(func::FuncOp function,
                                    const WeightLayout &weights,
                                    const ::atc::CompileOptions &options,
                                    StringRef target, const ModelSizes &sizes) {
  proto::ModelDef model;
  model.set_name(options.modelName.empty() ? "model" : options.modelName);
  model.set_version(1);
  GraphWriter(function, weights, *model.add_graph()).write();
  setModelAttributes(model, function, options, target, sizes);

  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    model.SerializeToCodedStream(&coded);
  }
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}
