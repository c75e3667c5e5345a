// .npy and TensorProto files: read, written, refused.
// SPDX-License-Identifier: Apache-2.0
#include "ArrayFile.h"

#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace atc;
using namespace atc::run;
using testing::ElementsAre;
using testing::HasSubstr;

template <typename T>
static std::vector<uint8_t> bytesOf(const std::vector<T> &values) {
  auto *begin = reinterpret_cast<const uint8_t *>(values.data());
  return std::vector<uint8_t>(begin, begin + values.size() * sizeof(T));
}

/// A version 1 file with this header and these data.
static std::string npy(std::string header, const std::string &data) {
  std::string file = std::string("\x93NUMPY\x01\0", 8);
  file.push_back(static_cast<char>(header.size() & 0xff));
  file.push_back(static_cast<char>(header.size() >> 8));
  return file + header + data;
}

static Expected<HostArray> parse(const std::string &file,
                                 ElementType wanted = ElementType::F32) {
  return parseNpy(reinterpret_cast<const uint8_t *>(file.data()), file.size(),
                  wanted);
}

static std::string refusal(const Expected<HostArray> &array) {
  if (array.ok())
    return "accepted";
  EXPECT_EQ(array.getDiagnostic().code, ErrorCode::MalformedArray);
  return array.getDiagnostic().message;
}

TEST(Npy, RoundTripOfEveryType) {
  for (uint8_t type = 0; isElementType(type); ++type) {
    if (ElementType(type) == ElementType::STRING)
      continue;
    HostArray array{ElementType(type), {3, 2}, {}};
    array.bytes.resize(*arrayBytes(array.elementType, array.shape));
    for (size_t i = 0; i < array.bytes.size(); ++i)
      array.bytes[i] = static_cast<uint8_t>(37 * i + 1);
    Expected<HostArray> back = parse(serializeNpy(array), array.elementType);
    ASSERT_TRUE(back.ok()) << elementTypeInfo(array.elementType).text << ": "
                           << back.getDiagnostic().message;
    EXPECT_EQ(back->elementType, array.elementType);
    EXPECT_EQ(back->shape, array.shape);
    EXPECT_EQ(back->bytes, array.bytes);
  }
}

TEST(Npy, WritesWhatNumPyWrites) {
  std::string file =
      serializeNpy({ElementType::F32, {2}, bytesOf<float>({1, 2})});
  EXPECT_EQ(file.size() % 64, 8u) << "the data begins at a multiple of 64";
  EXPECT_THAT(file, HasSubstr("{'descr': '<f4', 'fortran_order': False, "
                              "'shape': (2,), }"));
  EXPECT_THAT(serializeNpy({ElementType::BOOL, {}, {1}}),
              HasSubstr("'shape': (), }"));
  EXPECT_THAT(serializeNpy({ElementType::I64, {0, 3}, {}}),
              HasSubstr("'shape': (0, 3), }"));
}

TEST(Npy, FortranOrderIsTurned) {
  Expected<HostArray> array =
      parse(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n",
                std::string("\0\1\2\3\4\5", 6)),
            ElementType::U8);
  ASSERT_TRUE(array.ok());
  EXPECT_THAT(array->bytes, ElementsAre(0, 2, 4, 1, 3, 5));
}

TEST(Npy, HeadersOfOtherWriters) {
  EXPECT_TRUE(parse(npy("{\"shape\": (2L,), 'fortran_order':False,"
                        "'descr':'=f4'}",
                        std::string(8, '\0')))
                  .ok());
  EXPECT_TRUE(parse(npy("{'descr': '<V2', 'fortran_order': False, 'shape': "
                        "(1,)}",
                        "ab"),
                    ElementType::BF16)
                  .ok())
      << "an extension type without descriptor";
}

TEST(Npy, Refusals) {
  EXPECT_THAT(refusal(parse("")), HasSubstr("does not begin"));
  EXPECT_THAT(refusal(parse(npy("{}", ""))), HasSubstr("header"));
  EXPECT_THAT(refusal(parse(npy("{'descr': '>f4', 'fortran_order': False, "
                                "'shape': (1,)}",
                                "abcd"))),
              HasSubstr("'>f4'"));
  EXPECT_THAT(refusal(parse(npy("{'descr': '|O', 'fortran_order': False, "
                                "'shape': (1,)}",
                                "abcd"))),
              HasSubstr("'|O'"));
  EXPECT_THAT(refusal(parse(npy("{'descr': '<f4', 'fortran_order': False, "
                                "'shape': (2,)}",
                                "abcd"))),
              HasSubstr("has 4 bytes of data, its shape [2] needs 8"));
  EXPECT_THAT(refusal(parse(npy("{'descr': '<f4', 'fortran_order': False, "
                                "'shape': (-1,)}",
                                "abcd"))),
              HasSubstr("header cannot be read"));
  EXPECT_THAT(
      refusal(parse(npy("{'descr': '<f4', 'fortran_order': False, 'shape': "
                        "(9223372036854775807, 9223372036854775807)}",
                        "abcd"))),
      HasSubstr("not usable"));
}

TEST(Npy, NoDamageIsHarmful) {
  std::string file =
      serializeNpy({ElementType::F32, {2, 2}, bytesOf<float>({1, 2, 3, 4})});
  for (size_t i = 0; i < file.size(); ++i) {
    (void)parse(file.substr(0, i));
    for (int bit = 0; bit < 8; ++bit) {
      file[i] ^= 1 << bit;
      (void)parse(file);
      file[i] ^= 1 << bit;
    }
  }
}

//===----------------------------------------------------------------------===//
// TensorProto
//===----------------------------------------------------------------------===//

static std::string tag(unsigned field, unsigned wireType) {
  return std::string(1, static_cast<char>(field << 3 | wireType));
}
static std::string varint(unsigned field, char value) {
  return tag(field, 0) + value;
}
static std::string delimited(unsigned field, const std::string &bytes) {
  return tag(field, 2) + static_cast<char>(bytes.size()) + bytes;
}
static Expected<HostArray> parseProto(const std::string &file) {
  return parseTensorProto(reinterpret_cast<const uint8_t *>(file.data()),
                          file.size());
}

TEST(TensorProto, RawData) {
  Expected<HostArray> array =
      parseProto(delimited(1, "\2\3") + varint(2, 2) +
                 delimited(8, "some name") + delimited(9, "abcdef"));
  ASSERT_TRUE(array.ok()) << array.getDiagnostic().message;
  EXPECT_EQ(array->elementType, ElementType::U8);
  EXPECT_THAT(array->shape, ElementsAre(2, 3));
  EXPECT_EQ(array->bytes.back(), 'f');
}

TEST(TensorProto, TypedDataPackedAndNot) {
  float value = 1.5f;
  std::string bytes(reinterpret_cast<char *>(&value), 4);
  Expected<HostArray> packed =
      parseProto(varint(1, 2) + varint(2, 1) + delimited(4, bytes + bytes));
  Expected<HostArray> single = parseProto(
      varint(1, 2) + varint(2, 1) + tag(4, 5) + bytes + tag(4, 5) + bytes);
  ASSERT_TRUE(packed.ok() && single.ok());
  EXPECT_EQ(packed->bytes, bytesOf<float>({1.5f, 1.5f}));
  EXPECT_EQ(single->bytes, packed->bytes);

  // int32_data carries booleans, halves and small integers; -1 has ten bytes.
  Expected<HostArray> small =
      parseProto(varint(1, 2) + varint(2, 3) +
                 delimited(5, "\5\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"));
  ASSERT_TRUE(small.ok());
  EXPECT_EQ(small->bytes, bytesOf<int8_t>({5, -1}));

  Expected<HostArray> large =
      parseProto(varint(1, 1) + varint(2, 7) + delimited(7, "\x80\1"));
  ASSERT_TRUE(large.ok());
  EXPECT_EQ(large->bytes, bytesOf<int64_t>({128}));
}

TEST(TensorProto, ScalarHasNoDims) {
  Expected<HostArray> array =
      parseProto(varint(2, 9) + delimited(9, std::string(1, '\1')));
  ASSERT_TRUE(array.ok());
  EXPECT_TRUE(array->shape.empty());
}

TEST(TensorProto, Refusals) {
  EXPECT_THAT(refusal(parseProto("")), HasSubstr("element type is 0"));
  EXPECT_THAT(refusal(parseProto(varint(2, 8) + delimited(6, "text"))),
              HasSubstr("strings"));
  EXPECT_THAT(refusal(parseProto(varint(2, 1) + varint(14, 1))),
              HasSubstr("another file"));
  EXPECT_THAT(
      refusal(parseProto(varint(1, 2) + varint(2, 1) + delimited(9, "abcd"))),
      HasSubstr("has 4 bytes of data, its shape [2] needs 8"));
  EXPECT_THAT(refusal(parseProto(varint(2, 1) + delimited(7, "\1"))),
              HasSubstr("field of another type"));
  EXPECT_THAT(refusal(parseProto(tag(9, 2) + "\x7f")), HasSubstr("cut off"));
  EXPECT_THAT(refusal(parseProto(tag(3, 3))), HasSubstr("segments"));
  EXPECT_THAT(refusal(parseProto(std::string(11, '\xff'))),
              HasSubstr("cut off or damaged"));
}

//===----------------------------------------------------------------------===//
// Choice by extension
//===----------------------------------------------------------------------===//

TEST(ArrayFile, RawBytesTakeTheShapeThatIsKnown) {
  std::string path =
      testing::TempDir() + "raw-" + std::to_string(::getpid()) + ".bin";
  std::ofstream(path) << "abcdefgh";
  Expected<HostArray> array = readArrayFile(path, ElementType::I16, {2, 2});
  ASSERT_TRUE(array.ok());
  EXPECT_THAT(array->shape, ElementsAre(2, 2));
  EXPECT_THAT(refusal(readArrayFile(path, ElementType::I16, {5})),
              HasSubstr("has 8 bytes, expects 10 for int16 [5]"));
  EXPECT_FALSE(readArrayFile(path, ElementType::I16, {-1, 2}).ok())
      << "an open shape needs --shape";
  std::remove(path.c_str());
  EXPECT_EQ(readArrayFile(path, ElementType::I16, {1}).getDiagnostic().code,
            ErrorCode::FileNotFound);
}
