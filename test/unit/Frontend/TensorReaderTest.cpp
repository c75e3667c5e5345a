// Data fields of tensors, inside and outside of the message.
// SPDX-License-Identifier: Apache-2.0
#include "TensorReader.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mlir::atc::onnx {
namespace {

using ::atc::ErrorCode;
using ::onnx::TensorProto;
using ::testing::HasSubstr;

/// Reads the first initializer of a model that holds `tensor`.
class TensorReaderTest : public ::testing::Test {
protected:
  ::atc::Expected<TensorData> read(const TensorProto &tensor) {
    ::onnx::ModelProto model;
    model.set_ir_version(8);
    *model.mutable_graph()->add_initializer() = tensor;
    bytes = model.SerializeAsString();
    auto parsed = readModelBytes(ArrayRef(bytes.data(), bytes.size()), store);
    EXPECT_TRUE(parsed);
    source = std::move(*parsed);
    reader = std::make_unique<TensorReader>(source, store);
    return reader->read(source.model->graph().initializer(0));
  }
  template <typename T>
  std::vector<T> valuesOf(const TensorData &data) {
    ArrayRef<char> raw = reader->getBytes(data);
    std::vector<T> values(raw.size() / sizeof(T));
    std::memcpy(values.data(), raw.data(), raw.size());
    return values;
  }
  std::string errorOf(const TensorProto &tensor) {
    auto data = read(tensor);
    if (data)
      return "no error";
    EXPECT_EQ(data.getDiagnostic().code, ErrorCode::InvalidTensor);
    return data.getDiagnostic().message;
  }

  std::string bytes;
  graph::WeightStore store;
  ModelSource source;
  std::unique_ptr<TensorReader> reader;
};

TensorProto makeTensor(TensorProto::DataType type, int64_t count) {
  TensorProto tensor;
  tensor.set_data_type(type);
  tensor.add_dims(count);
  return tensor;
}

TEST_F(TensorReaderTest, ReadsTypedFieldsOfEitherSize) {
  for (int count : {3, 3000}) {
    TensorProto floats = makeTensor(TensorProto::FLOAT, count);
    TensorProto longs = makeTensor(TensorProto::INT64, count);
    TensorProto bytes = makeTensor(TensorProto::INT8, count);
    std::vector<float> wantFloats;
    std::vector<int64_t> wantLongs;
    std::vector<int8_t> wantBytes;
    for (int i = 0; i < count; ++i) {
      floats.add_float_data(wantFloats.emplace_back(0.5f * i));
      longs.add_int64_data(wantLongs.emplace_back(int64_t(i) * -1'000'000'007));
      bytes.add_int32_data(wantBytes.emplace_back(-i));
    }
    auto data = read(floats);
    ASSERT_TRUE(data);
    EXPECT_EQ(valuesOf<float>(*data), wantFloats);
    // Packed floats are used where they lie.
    EXPECT_EQ(std::holds_alternative<graph::WeightRange>(data->data),
              count == 3000);
    data = read(longs);
    ASSERT_TRUE(data);
    EXPECT_EQ(valuesOf<int64_t>(*data), wantLongs);
    data = read(bytes);
    ASSERT_TRUE(data);
    EXPECT_EQ(valuesOf<int8_t>(*data), wantBytes);
  }
}

TEST_F(TensorReaderTest, LeavesLargeRawDataInTheModel) {
  TensorProto tensor = makeTensor(TensorProto::FLOAT16, 1000);
  tensor.set_raw_data(std::string(2000, 'x'));
  auto data = read(tensor);
  ASSERT_TRUE(data);
  auto *range = std::get_if<graph::WeightRange>(&data->data);
  ASSERT_TRUE(range);
  EXPECT_EQ(bytes.substr(range->offset, range->length), std::string(2000, 'x'));
}

TEST_F(TensorReaderTest, ReadsHalfPrecisionAsBitPatterns) {
  TensorProto tensor = makeTensor(TensorProto::FLOAT16, 2);
  tensor.add_int32_data(0x3c00);
  tensor.add_int32_data(0xc000);
  auto data = read(tensor);
  ASSERT_TRUE(data);
  EXPECT_EQ(valuesOf<uint16_t>(*data), (std::vector<uint16_t>{0x3c00, 0xc000}));
}

TEST_F(TensorReaderTest, MakesBooleansZeroOrOne) {
  TensorProto tensor = makeTensor(TensorProto::BOOL, 3);
  tensor.set_raw_data(std::string("\0\1\7", 3));
  auto data = read(tensor);
  ASSERT_TRUE(data);
  EXPECT_EQ(valuesOf<uint8_t>(*data), (std::vector<uint8_t>{0, 1, 1}));
}

TEST_F(TensorReaderTest, RefusesDataOfAnotherSize) {
  TensorProto tensor = makeTensor(TensorProto::FLOAT, 3);
  tensor.set_raw_data(std::string(8, 'x'));
  EXPECT_EQ(errorOf(tensor), "data of 8 bytes, the shape needs 12");
  tensor.set_raw_data(std::string(2000, 'x'));
  EXPECT_EQ(errorOf(tensor), "data of 2000 bytes, the shape needs 12");
  tensor.clear_raw_data();
  EXPECT_EQ(errorOf(tensor), "no data, the shape needs 12 bytes");
  TensorProto longs = makeTensor(TensorProto::INT64, 1'000'000'000'000);
  for (int i = 0; i < 2000; ++i)
    longs.add_int64_data(i);
  EXPECT_EQ(errorOf(longs), "fewer values than the shape has elements");
}

TEST_F(TensorReaderTest, RefusesImpossibleShapes) {
  TensorProto tensor = makeTensor(TensorProto::FLOAT, -1);
  EXPECT_THAT(errorOf(tensor), HasSubstr("negative dimension"));
  tensor = makeTensor(TensorProto::FLOAT, INT64_MAX);
  tensor.add_dims(INT64_MAX);
  EXPECT_THAT(errorOf(tensor), HasSubstr("more elements than memory"));
}

TEST_F(TensorReaderTest, RefusesDataInTheWrongField) {
  TensorProto tensor = makeTensor(TensorProto::FLOAT, 1);
  tensor.add_int64_data(1);
  EXPECT_THAT(errorOf(tensor), HasSubstr("cannot hold float32"));
}

TEST_F(TensorReaderTest, RefusesDataInTwoFields) {
  TensorProto tensor = makeTensor(TensorProto::FLOAT, 1);
  tensor.add_float_data(1);
  tensor.set_raw_data(std::string(2000, 'x'));
  EXPECT_THAT(errorOf(tensor), HasSubstr("spread over several fields"));
}

TEST_F(TensorReaderTest, RefusesUnknownTypes) {
  TensorProto tensor = makeTensor(TensorProto::FLOAT, 1);
  tensor.set_data_type(999);
  auto data = read(tensor);
  ASSERT_FALSE(data);
  EXPECT_EQ(data.getDiagnostic().code, ErrorCode::UnsupportedType);
}

} // namespace
} // namespace mlir::atc::onnx
