// PNG and JPEG by their reference libraries.
// SPDX-License-Identifier: Apache-2.0
#include "Image.h"

#include <csetjmp>
#include <cstdio>
#include <cstring>

#include <jpeglib.h>
#include <png.h>

namespace atc::run {

/// More than any camera takes; keeps a small file from asking for much memory.
static constexpr uint64_t maxPixels = uint64_t(1) << 28;

static Status malformed(const std::string &reason) {
  return Status::error(ErrorCode::MalformedArray,
                       "is no usable picture: " + reason);
}

static Expected<Picture> decodePng(const uint8_t *data, uint64_t size) {
  png_image image;
  std::memset(&image, 0, sizeof(image));
  image.version = PNG_IMAGE_VERSION;
  auto fail = [&image]() {
    std::string reason = image.message;
    png_image_free(&image);
    return malformed(reason);
  };
  if (!png_image_begin_read_from_memory(&image, data, size))
    return fail();
  if (uint64_t(image.width) * image.height > maxPixels) {
    png_image_free(&image);
    return malformed("it is too large");
  }
  image.format = PNG_FORMAT_RGBA;
  std::vector<uint8_t> pixels(PNG_IMAGE_SIZE(image));
  if (!png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr))
    return fail();
  Picture picture{image.width, image.height, {}};
  picture.pixels.reserve(pixels.size() / 4 * 3);
  for (size_t i = 0; i < pixels.size(); i += 4)
    picture.pixels.insert(picture.pixels.end(), &pixels[i], &pixels[i] + 3);
  return picture;
}

namespace {
/// libjpeg reports errors by calling a function that must not return.
struct JpegErrors {
  jpeg_error_mgr manager;
  std::jmp_buf escape;
  char message[JMSG_LENGTH_MAX];
};
} // namespace

/// Decodes into `picture`; false on errors. Objects with destructors live in
/// the caller, since an error jumps out of here.
static bool decodeJpegInto(jpeg_decompress_struct &jpeg, JpegErrors &errors,
                           const uint8_t *data, uint64_t size,
                           Picture &picture) {
  if (setjmp(errors.escape))
    return false;
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, data, size);
  jpeg_read_header(&jpeg, TRUE);
  if (uint64_t(jpeg.image_width) * jpeg.image_height > maxPixels) {
    std::snprintf(errors.message, sizeof(errors.message), "it is too large");
    return false;
  }
  jpeg.out_color_space = JCS_RGB;
  jpeg_start_decompress(&jpeg);
  picture.width = jpeg.output_width;
  picture.height = jpeg.output_height;
  picture.pixels.resize(size_t(3) * picture.width * picture.height);
  while (jpeg.output_scanline < jpeg.output_height) {
    uint8_t *row =
        &picture.pixels[size_t(3) * picture.width * jpeg.output_scanline];
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_decompress(&jpeg);
  return true;
}

static Expected<Picture> decodeJpeg(const uint8_t *data, uint64_t size) {
  jpeg_decompress_struct jpeg;
  std::memset(&jpeg, 0, sizeof(jpeg));
  JpegErrors errors;
  errors.message[0] = '\0';
  jpeg.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = [](j_common_ptr common) {
    auto *state = reinterpret_cast<JpegErrors *>(common->err);
    common->err->format_message(common, state->message);
    std::longjmp(state->escape, 1);
  };
  // Warnings are about damaged data too: a picture with holes is no input.
  errors.manager.emit_message = [](j_common_ptr common, int level) {
    if (level < 0)
      common->err->error_exit(common);
  };
  Picture picture;
  bool ok = decodeJpegInto(jpeg, errors, data, size, picture);
  jpeg_destroy_decompress(&jpeg);
  if (!ok)
    return malformed(errors.message);
  return picture;
}

Expected<Picture> decodePicture(const uint8_t *data, uint64_t size) {
  if (size >= 8 && png_sig_cmp(data, 0, 8) == 0)
    return decodePng(data, size);
  if (size >= 3 && data[0] == 0xff && data[1] == 0xd8 && data[2] == 0xff)
    return decodeJpeg(data, size);
  return malformed("it is neither PNG nor JPEG");
}

} // namespace atc::run
