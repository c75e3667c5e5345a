// A ModelDef as JSON.
// SPDX-License-Identifier: Apache-2.0
#include "GraphJson.h"
#include "ge.pb.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <map>

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using llvm::StringRef;

namespace {

/// Payloads and places, which mean nothing outside the file.
bool isDropped(const FieldDescriptor &field) {
  static const llvm::DenseSet<StringRef> names = {
      "output",      "data_offset", "data", "workspace", "workspace_bytes",
      "memory_size", "weight_size", "size", "bt"};
  // A graph's outputs are names, not bytes.
  if (field.containing_type()->name() == "GraphDef")
    return false;
  return names.contains(field.name());
}

/// Writes a message by reflection, so that the schema alone decides.
class JsonWriter {
public:
  explicit JsonWriter(llvm::raw_ostream &os) : json(os, /*IndentSize=*/2) {}

  void write(const Message &message);

private:
  void writeField(const Message &message, const FieldDescriptor &field);
  void writeMap(const Message &message, const FieldDescriptor &field);
  void writeValue(const Message &message, const FieldDescriptor &field,
                  int index);
  void writeText(const std::string &text);

  llvm::json::OStream json;
};

} // namespace

void JsonWriter::writeText(const std::string &text) {
  json.value(llvm::json::isUTF8(text) ? text : llvm::json::fixUTF8(text));
}

/// Entry `index` of a repeated field, or the field itself with -1.
void JsonWriter::writeValue(const Message &message,
                            const FieldDescriptor &field, int index) {
  const Reflection &reflection = *message.GetReflection();
  bool isList = index >= 0;
  switch (field.cpp_type()) {
  case FieldDescriptor::CPPTYPE_MESSAGE:
    return write(isList ? reflection.GetRepeatedMessage(message, &field, index)
                        : reflection.GetMessage(message, &field));
  case FieldDescriptor::CPPTYPE_STRING:
    return writeText(isList
                         ? reflection.GetRepeatedString(message, &field, index)
                         : reflection.GetString(message, &field));
  case FieldDescriptor::CPPTYPE_ENUM: {
    int number = isList
                     ? reflection.GetRepeatedEnumValue(message, &field, index)
                     : reflection.GetEnumValue(message, &field);
    const auto *value = field.enum_type()->FindValueByNumber(number);
    return value ? writeText(value->name()) : json.value(number);
  }
  case FieldDescriptor::CPPTYPE_BOOL:
    return json.value(isList
                          ? reflection.GetRepeatedBool(message, &field, index)
                          : reflection.GetBool(message, &field));
  case FieldDescriptor::CPPTYPE_FLOAT:
    return json.value(isList
                          ? reflection.GetRepeatedFloat(message, &field, index)
                          : reflection.GetFloat(message, &field));
  case FieldDescriptor::CPPTYPE_DOUBLE:
    return json.value(isList
                          ? reflection.GetRepeatedDouble(message, &field, index)
                          : reflection.GetDouble(message, &field));
  case FieldDescriptor::CPPTYPE_INT32:
    return json.value(isList
                          ? reflection.GetRepeatedInt32(message, &field, index)
                          : reflection.GetInt32(message, &field));
  case FieldDescriptor::CPPTYPE_INT64:
    return json.value(isList
                          ? reflection.GetRepeatedInt64(message, &field, index)
                          : reflection.GetInt64(message, &field));
  case FieldDescriptor::CPPTYPE_UINT32:
    return json.value(isList
                          ? reflection.GetRepeatedUInt32(message, &field, index)
                          : reflection.GetUInt32(message, &field));
  case FieldDescriptor::CPPTYPE_UINT64:
    return json.value(isList
                          ? reflection.GetRepeatedUInt64(message, &field, index)
                          : reflection.GetUInt64(message, &field));
  }
}

void JsonWriter::writeMap(const Message &message,
                          const FieldDescriptor &field) {
  const Reflection &reflection = *message.GetReflection();
  const FieldDescriptor *key = field.message_type()->map_key();
  const FieldDescriptor *value = field.message_type()->map_value();
  std::map<std::string, const Message *> entries;
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    const Message &entry = reflection.GetRepeatedMessage(message, &field, i);
    entries[entry.GetReflection()->GetString(entry, key)] = &entry;
  }
  json.attributeArray(field.name(), [&] {
    for (auto &[name, entry] : entries)
      json.object([&, &name = name, entry = entry] {
        json.attributeBegin("key");
        writeText(name);
        json.attributeEnd();
        json.attributeBegin("value");
        writeValue(*entry, *value, -1);
        json.attributeEnd();
      });
  });
}

void JsonWriter::writeField(const Message &message,
                            const FieldDescriptor &field) {
  if (field.is_map())
    return writeMap(message, field);
  if (!field.is_repeated()) {
    json.attributeBegin(field.name());
    writeValue(message, field, -1);
    json.attributeEnd();
    return;
  }
  json.attributeArray(field.name(), [&] {
    int size = message.GetReflection()->FieldSize(message, &field);
    for (int i = 0; i < size; ++i)
      writeValue(message, field, i);
  });
}

void JsonWriter::write(const Message &message) {
  std::vector<const FieldDescriptor *> fields;
  message.GetReflection()->ListFields(message, &fields);
  json.object([&] {
    for (const FieldDescriptor *field : fields)
      if (!isDropped(*field))
        writeField(message, *field);
  });
}

std::optional<std::string> mlir::atc::modelDefinitionToJson(const uint8_t *data,
                                                            size_t size) {
  ge::proto::ModelDef model;
  if (!model.ParseFromArray(data, static_cast<int>(size)))
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream stream(text);
  JsonWriter(stream).write(model);
  stream << '\n';
  return text;
}
