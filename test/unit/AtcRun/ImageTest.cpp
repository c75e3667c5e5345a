// Pictures: decoded, resized, normalized.
// SPDX-License-Identifier: Apache-2.0
#include "Image.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jpeglib.h>
#include <png.h>

using namespace atc;
using namespace atc::run;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

/// A picture whose channels all differ.
static Picture pattern(int64_t width, int64_t height) {
  Picture picture{width, height, {}};
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      for (int64_t c = 0; c < 3; ++c)
        picture.pixels.push_back((x * 37 + y * 91 + c * 53) % 256);
  return picture;
}

static std::vector<uint8_t> encodePng(const Picture &picture) {
  png_image image;
  std::memset(&image, 0, sizeof(image));
  image.version = PNG_IMAGE_VERSION;
  image.width = picture.width;
  image.height = picture.height;
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = 0;
  png_image_write_to_memory(&image, nullptr, &size, 0, picture.pixels.data(), 0,
                            nullptr);
  std::vector<uint8_t> bytes(size);
  png_image_write_to_memory(&image, bytes.data(), &size, 0,
                            picture.pixels.data(), 0, nullptr);
  bytes.resize(size);
  return bytes;
}

static std::vector<uint8_t> encodeJpeg(const Picture &picture) {
  jpeg_compress_struct jpeg;
  jpeg_error_mgr errors;
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char *data = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &data, &size);
  jpeg.image_width = picture.width;
  jpeg.image_height = picture.height;
  jpeg.input_components = 3;
  jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 100, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  for (int64_t y = 0; y < picture.height; ++y) {
    auto *row = const_cast<uint8_t *>(&picture.pixels[3 * picture.width * y]);
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::vector<uint8_t> bytes(data, data + size);
  std::free(data);
  return bytes;
}

static std::string failure(const Status &status) {
  return status ? "success" : status.getDiagnostic().message;
}

TEST(Picture, PngIsExact) {
  Picture original = pattern(5, 4);
  std::vector<uint8_t> file = encodePng(original);
  Expected<Picture> picture = decodePicture(file.data(), file.size());
  ASSERT_TRUE(picture.ok()) << picture.getDiagnostic().message;
  EXPECT_EQ(picture->width, 5);
  EXPECT_EQ(picture->height, 4);
  EXPECT_EQ(picture->pixels, original.pixels);
}

TEST(Picture, JpegIsClose) {
  Picture original{16, 16, {}};
  for (int i = 0; i < 256; ++i)
    original.pixels.insert(original.pixels.end(), {200, 100, 50});
  std::vector<uint8_t> file = encodeJpeg(original);
  Expected<Picture> picture = decodePicture(file.data(), file.size());
  ASSERT_TRUE(picture.ok()) << picture.getDiagnostic().message;
  EXPECT_NEAR(picture->pixels[0], 200, 2);
  EXPECT_NEAR(picture->pixels[1], 100, 2);
  EXPECT_NEAR(picture->pixels[2], 50, 2);
}

TEST(Picture, DamagedFilesAreRefused) {
  for (std::vector<uint8_t> file :
       {encodePng(pattern(8, 8)), encodeJpeg(pattern(8, 8))}) {
    // The last bytes of a PNG file are checksums that no pixel depends on.
    for (size_t size = 0; size + 30 < file.size(); size += 3)
      EXPECT_FALSE(decodePicture(file.data(), size).ok()) << size;
    for (size_t i = 0; i < file.size(); ++i) {
      file[i] ^= 0x55;
      (void)decodePicture(file.data(), file.size());
      file[i] ^= 0x55;
    }
  }
  uint8_t other[16] = {'G', 'I', 'F'};
  EXPECT_THAT(failure(decodePicture(other, 16).status()),
              HasSubstr("neither PNG nor JPEG"));
}

/// The expected numbers are those of Pillow's BILINEAR resampling.
TEST(Picture, ResizesAsPillowDoes) {
  EXPECT_THAT(resizePicture(pattern(5, 4), 3, 2).pixels,
              ElementsAre(81, 118, 150, 111, 155, 123, 160, 151, 157, 114, 120,
                          111, 87, 116, 140, 121, 153, 127));
  std::vector<uint8_t> wider = resizePicture(pattern(5, 4), 7, 6).pixels;
  EXPECT_THAT(std::vector<uint8_t>(wider.begin(), wider.begin() + 12),
              ElementsAre(0, 53, 106, 21, 74, 127, 48, 101, 154, 74, 127, 180));
  EXPECT_THAT(std::vector<uint8_t>(wider.end() - 6, wider.end()),
              ElementsAre(144, 197, 140, 165, 218, 15));
  EXPECT_EQ(resizePicture(pattern(5, 4), 5, 4).pixels, pattern(5, 4).pixels);
}

TEST(ImageOptions, AllKeys) {
  Expected<ImageOptions> options =
      parseImageOptions("a,b.png,size=48x320,fit=pad,channels=bgr,layout=nhwc,"
                        "mean=0.5/0.4/0.3,std=2,scale=0.25");
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->file, "a,b.png");
  EXPECT_EQ(options->height, 48);
  EXPECT_EQ(options->width, 320);
  EXPECT_EQ(options->fit, ImageOptions::Fit::Pad);
  EXPECT_EQ(options->channels, ImageOptions::Channels::Bgr);
  EXPECT_EQ(options->layout, ImageOptions::Layout::Nhwc);
  EXPECT_THAT(options->mean, ElementsAre(0.5, 0.4, 0.3));
  EXPECT_THAT(options->std, ElementsAre(2));
  EXPECT_EQ(options->scale, 0.25);
}

TEST(ImageOptions, WrongValues) {
  for (const char *text : {"a.png,size=48",
                           "a.png,size=0x3",
                           "a.png,size=-1x3",
                           "a.png,size= 2x3",
                           "a.png,size=2x3x",
                           "a.png,size=65537x1",
                           "a.png,size=99999999999999999999x1",
                           "a.png,size=",
                           "a.png,size=2x3,",
                           "a.png,size=2x3,fit",
                           "a.png,fit=crop",
                           "a.png,channels=rgba",
                           "a.png,layout=chw",
                           "a.png,mean=1/2",
                           "a.png,mean=1/2/3/",
                           "a.png,mean=",
                           "a.png,std=0",
                           "a.png,std=1/0/1",
                           "a.png,std=1e-300",
                           "a.png,std=nan",
                           "a.png,scale=x",
                           "a.png,scale=1/2/3",
                           "a.png,scale=inf",
                           "a.png,channels=gray,mean=1/2/3",
                           "a.png,scale=1,color=red"}) {
    Expected<ImageOptions> options = parseImageOptions(text);
    ASSERT_FALSE(options.ok()) << text;
    EXPECT_EQ(options.getDiagnostic().code, ErrorCode::InvalidOptionValue);
  }
}

static std::string imageFailure(const char *text) {
  return failure(parseImageOptions(text).status());
}

TEST(ImageOptions, MisspelledKeys) {
  EXPECT_EQ(imageFailure("a.png,siez=2x3"),
            "'siez' in --image is none of size, fit, channels, layout, mean, "
            "std, scale; did you mean 'size'?");
  EXPECT_THAT(imageFailure("a.png,fit=pad,chanels=rgb"),
              HasSubstr("did you mean 'channels'?"));
  EXPECT_THAT(imageFailure("a.png,chanels=rgb,fit=pad"),
              HasSubstr("did you mean 'channels'?"));
  EXPECT_THAT(imageFailure("a.png,color=red"),
              testing::Not(HasSubstr("did you mean")));
}

TEST(ImageOptions, KeysAreGivenOnce) {
  EXPECT_EQ(imageFailure("a.png,fit=pad,size=2x3,fit=pad"),
            "'fit' in --image is given twice");
}

/// A comma in a file's name is no mistake.
TEST(ImageOptions, CommasInFileNames) {
  EXPECT_EQ(parseImageOptions("a,b.png")->file, "a,b.png");
  EXPECT_EQ(parseImageOptions("a,b.png,fit=pad")->file, "a,b.png");
}

static std::vector<float> floats(const Expected<HostArray> &array) {
  EXPECT_TRUE(array.ok()) << array.getDiagnostic().message;
  std::vector<float> values(array->bytes.size() / 4);
  std::memcpy(values.data(), array->bytes.data(), array->bytes.size());
  return values;
}

TEST(ImageInput, NormalizesChannelsInPlanes) {
  Picture picture{2, 1, {10, 20, 30, 40, 50, 60}};
  ImageOptions options =
      *parseImageOptions("f,scale=0.1,mean=1/2/3,std=0.5/1/2");
  Expected<HostArray> array =
      makeImageInput(picture, options, ElementType::F32, {1, 3, 1, 2});
  EXPECT_THAT(floats(array), ElementsAre(0, 6, 0, 3, 0, 1.5));
  EXPECT_THAT(array->shape, ElementsAre(1, 3, 1, 2));
}

TEST(ImageInput, OtherOrders) {
  Picture picture{2, 1, {10, 20, 30, 40, 50, 60}};
  EXPECT_THAT(
      floats(makeImageInput(picture, *parseImageOptions("f,layout=nhwc"),
                            ElementType::F32, {-1, -1, -1, 3})),
      ElementsAre(10, 20, 30, 40, 50, 60));
  EXPECT_THAT(
      floats(makeImageInput(picture, *parseImageOptions("f,channels=bgr"),
                            ElementType::F32, {3, 1, 2})),
      ElementsAre(30, 60, 20, 50, 10, 40));
  EXPECT_THAT(
      floats(makeImageInput(picture, *parseImageOptions("f,channels=gray"),
                            ElementType::F32, {1, 1, 1, 2})),
      ElementsAre(18, 48));
}

TEST(ImageInput, PaddingKeepsProportions) {
  Picture picture{2, 2, std::vector<uint8_t>(12, 100)};
  EXPECT_THAT(
      floats(makeImageInput(picture,
                            *parseImageOptions("f,fit=pad,channels=gray,"
                                               "mean=1"),
                            ElementType::F32, {1, 1, 2, 3})),
      ElementsAre(99, 99, -1, 99, 99, -1));
}

TEST(ImageInput, OpenSizesAreThePictures) {
  Expected<HostArray> array =
      makeImageInput(pattern(7, 5), {}, ElementType::F32, {-1, 3, -1, -1});
  EXPECT_THAT(array->shape, ElementsAre(1, 3, 5, 7));
}

TEST(ImageInput, IntegersAreRoundedAndClamped) {
  Picture picture{3, 1, {1, 1, 1, 2, 2, 2, 255, 255, 255}};
  Expected<HostArray> array =
      makeImageInput(picture, *parseImageOptions("f,channels=gray,scale=1.5"),
                     ElementType::U8, {1, 1, 1, 3});
  ASSERT_TRUE(array.ok());
  EXPECT_THAT(array->bytes, ElementsAre(2, 3, 255));
}

TEST(ImageInput, Misfits) {
  Picture picture = pattern(2, 2);
  auto reason = [&](const char *options, ElementType type,
                    std::vector<int64_t> sizes) {
    return failure(makeImageInput(picture, *parseImageOptions(options), type,
                                  std::move(sizes))
                       .status());
  };
  EXPECT_THAT(reason("f", ElementType::F32, {4}), HasSubstr("three or four"));
  EXPECT_THAT(reason("f", ElementType::F32, {2, 3, 2, 2}),
              HasSubstr("batch of 1"));
  EXPECT_THAT(reason("f", ElementType::F32, {1, 1, 2, 2}),
              HasSubstr("3 channels"));
  EXPECT_THAT(reason("f,size=3x3", ElementType::F32, {1, 3, 2, 2}),
              HasSubstr("the picture is 3x3"));
  EXPECT_THAT(reason("f", ElementType::I64, {1, 3, 2, 2}),
              HasSubstr("type int64"));
}
