// The C++ interface of OpenATC's runtime: a header over atc_runtime.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef ATC_RUNTIME_RUNTIME_HPP
#define ATC_RUNTIME_RUNTIME_HPP

#include "atc/Runtime/atc_runtime.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace atc::runtime {

/// A failed call of the runtime: its number and its text.
class Error : public std::runtime_error {
public:
  explicit Error(atc_status status)
      : std::runtime_error(atc_last_error()), number(status) {}
  atc_status status() const { return number; }

private:
  atc_status number;
};

inline void check(atc_status status) {
  if (status != ATC_OK)
    throw Error(status);
}

/// The element type of a C++ type; only for types that have one.
template <typename T>
struct ElementTypeOf;
#define ATC_ELEMENT_TYPE_OF(TYPE, NUMBER)                                      \
  template <>                                                                  \
  struct ElementTypeOf<TYPE> {                                                 \
    static constexpr atc_element_type value = NUMBER;                          \
  };
ATC_ELEMENT_TYPE_OF(float, ATC_FLOAT32)
ATC_ELEMENT_TYPE_OF(double, ATC_FLOAT64)
ATC_ELEMENT_TYPE_OF(int8_t, ATC_INT8)
ATC_ELEMENT_TYPE_OF(int16_t, ATC_INT16)
ATC_ELEMENT_TYPE_OF(int32_t, ATC_INT32)
ATC_ELEMENT_TYPE_OF(int64_t, ATC_INT64)
ATC_ELEMENT_TYPE_OF(uint8_t, ATC_UINT8)
ATC_ELEMENT_TYPE_OF(uint16_t, ATC_UINT16)
ATC_ELEMENT_TYPE_OF(uint32_t, ATC_UINT32)
ATC_ELEMENT_TYPE_OF(uint64_t, ATC_UINT64)
ATC_ELEMENT_TYPE_OF(bool, ATC_BOOL)
#undef ATC_ELEMENT_TYPE_OF

/// Data of the runtime, row-major and dense. Does not own it: valid until the
/// session's next run or change of inputs.
class Tensor {
public:
  explicit Tensor(const atc_tensor &tensor) : tensor(tensor) {}

  atc_element_type type() const { return tensor.type; }
  std::vector<int64_t> shape() const {
    return std::vector<int64_t>(tensor.dims, tensor.dims + tensor.rank);
  }
  void *data() const { return tensor.data; }
  size_t bytes() const { return tensor.bytes; }

  /// The elements as T, which must be the tensor's type.
  template <typename T>
  T *begin() const {
    if (ElementTypeOf<T>::value != tensor.type)
      throw std::invalid_argument("the tensor has another element type");
    return static_cast<T *>(tensor.data);
  }
  template <typename T>
  T *end() const {
    return begin<T>() + tensor.bytes / sizeof(T);
  }

private:
  atc_tensor tensor;
};

/// An input or output as the model declares it; -1 where a size is open.
struct Port {
  std::string name;
  atc_element_type type;
  std::vector<int64_t> shape, minimum, maximum;
};

/// A loaded model; copies share it.
class Model {
public:
  static Model load(const std::string &path, bool verifyWeights = false,
                    bool residentWeights = false) {
    atc_load_options options = makeOptions(verifyWeights, residentWeights);
    atc_model *model = nullptr;
    check(atc_model_load(path.c_str(), &options, &model));
    return Model(model);
  }
  static Model fromMemory(const void *data, size_t size,
                          bool verifyWeights = false,
                          bool residentWeights = false) {
    atc_load_options options = makeOptions(verifyWeights, residentWeights);
    atc_model *model = nullptr;
    check(atc_model_load_memory(data, size, &options, &model));
    return Model(model);
  }

  std::string name() const { return atc_model_name(get()); }
  std::string target() const { return atc_model_target(get()); }
  bool isNpu() const { return atc_model_is_npu(get()) != 0; }

  std::vector<Port> inputs() const {
    return ports(atc_model_input_count(get()), atc_model_input);
  }
  std::vector<Port> outputs() const {
    return ports(atc_model_output_count(get()), atc_model_output);
  }
  size_t inputIndex(const std::string &name) const {
    size_t index = 0;
    check(atc_model_input_index(get(), name.c_str(), &index));
    return index;
  }
  size_t outputIndex(const std::string &name) const {
    size_t index = 0;
    check(atc_model_output_index(get(), name.c_str(), &index));
    return index;
  }

  const atc_model *get() const { return handle.get(); }

private:
  explicit Model(atc_model *model) : handle(model, atc_model_free) {}

  static atc_load_options makeOptions(bool verify, bool resident) {
    atc_load_options options;
    atc_load_options_init(&options);
    options.verify_weights = verify;
    options.resident_weights = resident;
    return options;
  }
  template <typename Get>
  std::vector<Port> ports(size_t count, Get &&getPort) const {
    std::vector<Port> result;
    for (size_t i = 0; i < count; ++i) {
      atc_port port;
      check(getPort(get(), i, &port));
      auto sizes = [&](const int64_t *begin) {
        return std::vector<int64_t>(begin, begin + port.rank);
      };
      result.push_back({port.name, port.type, sizes(port.dims),
                        sizes(port.min_dims), sizes(port.max_dims)});
    }
    return result;
  }

  std::shared_ptr<atc_model> handle;
};

/// One execution context; used by one thread at a time.
class Session {
public:
  /// `threads` 0: one per processor.
  explicit Session(const Model &model, unsigned threads = 0,
                   atc_device device = ATC_DEVICE_CPU)
      : handle(nullptr, atc_session_free) {
    atc_session_options options;
    atc_session_options_init(&options);
    options.threads = threads;
    options.device = device;
    atc_session *session = nullptr;
    check(atc_session_create(model.get(), &options, &session));
    handle.reset(session);
  }

  /// Copies `data`, row-major, of the given shape; an empty shape stands for
  /// the model's, if all its sizes are fixed.
  void setInput(size_t index, const void *data, size_t bytes,
                const std::vector<int64_t> &shape = {}) {
    check(atc_session_set_input(get(), index, data, bytes, dims(shape),
                                shape.size()));
  }
  template <typename T>
  void setInput(size_t index, const std::vector<T> &values,
                const std::vector<int64_t> &shape = {}) {
    setInput(index, values.data(), values.size() * sizeof(T), shape);
  }
  void bindInput(size_t index, const void *data, size_t bytes,
                 const std::vector<int64_t> &shape = {}) {
    check(atc_session_bind_input(get(), index, data, bytes, dims(shape),
                                 shape.size()));
  }
  Tensor inputBuffer(size_t index, const std::vector<int64_t> &shape = {}) {
    atc_tensor tensor;
    check(atc_session_input_buffer(get(), index, dims(shape), shape.size(),
                                   &tensor));
    return Tensor(tensor);
  }
  void bindOutput(size_t index, void *data, size_t capacity) {
    check(atc_session_bind_output(get(), index, data, capacity));
  }

  void run() { check(atc_session_run(get())); }
  Tensor output(size_t index) const {
    atc_tensor tensor;
    check(atc_session_output(get(), index, &tensor));
    return Tensor(tensor);
  }
  void resetVariables() { check(atc_session_reset_variables(get())); }

  atc_memory_info memory() const {
    atc_memory_info info;
    check(atc_session_memory(get(), &info));
    return info;
  }
  void setProfiling(bool enable) {
    check(atc_session_set_profiling(get(), enable));
  }
  std::vector<atc_profile_record> profile() const {
    std::vector<atc_profile_record> records(atc_session_profile_count(get()));
    for (size_t i = 0; i < records.size(); ++i)
      check(atc_session_profile_record(get(), i, &records[i]));
    return records;
  }
  void writeTrace(const std::string &path) const {
    check(atc_session_write_trace(get(), path.c_str()));
  }
  std::string profileTable() { return atc_session_profile_table(get()); }

  /// Receives each named tensor as it is written; it must not throw.
  using DumpFunction = std::function<void(
      const std::string &name, const std::string &source, const Tensor &)>;
  void setDump(DumpFunction function) {
    dump = std::make_unique<DumpFunction>(std::move(function));
    auto call = [](void *user, const char *name, const char *source,
                   const atc_tensor *tensor) {
      (*static_cast<DumpFunction *>(user))(name, source, Tensor(*tensor));
    };
    check(atc_session_set_dump(
        get(), *dump ? static_cast<atc_dump_function>(call) : nullptr,
        dump.get()));
  }

  atc_session *get() const { return handle.get(); }

private:
  static const int64_t *dims(const std::vector<int64_t> &shape) {
    return shape.empty() ? nullptr : shape.data();
  }

  std::unique_ptr<DumpFunction> dump;
  std::unique_ptr<atc_session, void (*)(atc_session *)> handle;
};

} // namespace atc::runtime

#endif // ATC_RUNTIME_RUNTIME_HPP
