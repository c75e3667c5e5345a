// The C interface over LoadedModel and Session.
// SPDX-License-Identifier: Apache-2.0
#include "atc/Runtime/atc_runtime.h"

#include "atc/Runtime/Session.h"
#include "atc/Support/AtomicFile.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>

#ifndef ATC_VERSION
#error "the build defines ATC_VERSION"
#endif

using namespace atc;

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

namespace {
/// An atc_port and the arrays that it points to.
struct PortDescription {
  const std::string *name = nullptr;
  atc_element_type type = ATC_FLOAT32;
  std::vector<int64_t> sizes, minimum, maximum;

  void fill(atc_port &port) const {
    port = {name->c_str(), type,           sizes.size(),
            sizes.data(),  minimum.data(), maximum.data()};
  }
};
} // namespace

struct atc_model {
  std::shared_ptr<const LoadedModel> loaded;
  std::vector<PortDescription> inputs, outputs;
};

struct atc_session {
  std::unique_ptr<Session> session;
  std::string table;
};

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static thread_local std::string lastError;

const char *atc_last_error(void) { return lastError.c_str(); }

const char *atc_runtime_version(void) { return ATC_VERSION; }

static atc_status report(const Diagnostic &diagnostic) {
  lastError = diagnostic.render();
  return static_cast<atc_status>(diagnostic.code);
}

static atc_status report(const Status &status) {
  return status ? ATC_OK : report(status.getDiagnostic());
}

static Status invalidArgument(const char *reason) {
  return Status::error(ErrorCode::InvalidArgument, reason);
}

/// Runs the body of a call; nothing is thrown across the interface.
template <typename Body>
static atc_status guarded(Body &&body) noexcept {
  try {
    return report(body());
  } catch (const std::bad_alloc &) {
    // The text below may need memory too; the code does not.
    try {
      lastError = "E20004: out of memory\n";
    } catch (...) {
    }
    return ATC_ERROR_OUT_OF_MEMORY;
  } catch (const std::exception &error) {
    try {
      lastError = std::string("E19999: ") + error.what() + "\n";
    } catch (...) {
    }
    return static_cast<atc_status>(ErrorCode::Internal);
  }
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static_assert(static_cast<int>(ElementType::F32) == ATC_FLOAT32 &&
              static_cast<int>(ElementType::BOOL) == ATC_BOOL &&
              static_cast<int>(ElementType::C128) == ATC_COMPLEX128 &&
              static_cast<int>(ElementType::F4E2M1) == ATC_FLOAT4E2M1 &&
              static_cast<int>(ElementType::F4E2M1) + 1 == ATC_TYPE_COUNT);

const char *atc_element_type_name(atc_element_type type) {
  // The texts are literals, so they end with a zero byte.
  if (type < 0 || type >= ATC_TYPE_COUNT)
    return nullptr;
  return elementTypeInfo(static_cast<ElementType>(type)).text.data();
}

static void fillTensorInfo(const TensorRef &tensor, atc_tensor &out) {
  out.type = static_cast<atc_element_type>(tensor.elementType);
  out.rank = tensor.rank;
  out.dims = tensor.sizes.data();
  out.data = tensor.data;
  out.bytes = *elementBytes(tensor.elementType, tensor.elementCount());
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

static PortDescription describePort(const Plan &plan, const PlanPort &port) {
  const PlanView &view = plan.views[port.view];
  PortDescription description;
  description.name = &port.name;
  description.type = static_cast<atc_element_type>(view.elementType);
  for (const PlanView::Dim &dim : view.dims) {
    bool fixed = dim.size.isStatic();
    int64_t size = fixed ? dim.size.value() : -1;
    description.sizes.push_back(size);
    description.minimum.push_back(fixed ? size : 0);
    description.maximum.push_back(fixed ? size : PlanInt::maxStatic);
  }
  return description;
}

static Status makeModel(Expected<std::shared_ptr<const LoadedModel>> loaded,
                        atc_model **out) {
  if (!loaded)
    return loaded.status();
  auto model = std::make_unique<atc_model>();
  model->loaded = std::move(*loaded);
  const Plan &plan = model->loaded->plan();
  for (const PlanPort &port : plan.inputs)
    model->inputs.push_back(describePort(plan, port));
  for (const PlanPort &port : plan.outputs)
    model->outputs.push_back(describePort(plan, port));
  for (const PlanSymbol &symbol : plan.symbols) {
    PortDescription &input = model->inputs[symbol.port];
    input.minimum[symbol.dim] = symbol.min;
    input.maximum[symbol.dim] = symbol.max;
    if (symbol.min == symbol.max)
      input.sizes[symbol.dim] = symbol.min;
  }
  *out = model.release();
  return Status::success();
}

void atc_load_options_init(atc_load_options *options) {
  if (options)
    *options = {sizeof(atc_load_options), 0, 0};
}

static Expected<LoadOptions> convert(const atc_load_options *options) {
  LoadOptions result;
  if (!options)
    return result;
  if (options->struct_size != sizeof(atc_load_options))
    return invalidArgument("the options were not set by atc_load_options_init");
  result.verifyWeights = options->verify_weights != 0;
  result.residentWeights = options->resident_weights != 0;
  return result;
}

atc_status atc_model_load(const char *path, const atc_load_options *options,
                          atc_model **model) {
  return guarded([&]() -> Status {
    if (!path || !model)
      return invalidArgument("the path or the result is null");
    *model = nullptr;
    Expected<LoadOptions> converted = convert(options);
    if (!converted)
      return converted.status();
    return makeModel(LoadedModel::open(path, *converted), model);
  });
}

atc_status atc_model_load_memory(const void *data, size_t size,
                                 const atc_load_options *options,
                                 atc_model **model) {
  return guarded([&]() -> Status {
    if (!model || (!data && size != 0))
      return invalidArgument("the data or the result is null");
    *model = nullptr;
    Expected<LoadOptions> converted = convert(options);
    if (!converted)
      return converted.status();
    return makeModel(LoadedModel::fromMemory(data, size, *converted), model);
  });
}

void atc_model_free(atc_model *model) { delete model; }

const char *atc_model_name(const atc_model *model) {
  return model ? model->loaded->file().info().name.c_str() : "";
}

const char *atc_model_target(const atc_model *model) {
  return model ? model->loaded->plan().targetName.c_str() : "";
}

int atc_model_is_npu(const atc_model *model) {
  return model && model->loaded->plan().targetKind == TargetKind::Npu;
}

size_t atc_model_input_count(const atc_model *model) {
  return model ? model->inputs.size() : 0;
}

size_t atc_model_output_count(const atc_model *model) {
  return model ? model->outputs.size() : 0;
}

static Status getPort(const std::vector<PortDescription> &ports, size_t index,
                      atc_port *port) {
  if (!port || index >= ports.size())
    return invalidArgument("the index is out of range or the result is null");
  ports[index].fill(*port);
  return Status::success();
}

static Status findPort(const std::vector<PortDescription> &ports,
                       const char *name, size_t *index) {
  if (!name || !index)
    return invalidArgument("the name or the result is null");
  for (size_t i = 0; i < ports.size(); ++i)
    if (*ports[i].name == name) {
      *index = i;
      return Status::success();
    }
  std::string names;
  for (const PortDescription &port : ports)
    names += (names.empty() ? "" : ", ") + *port.name;
  return Status::error(ErrorCode::InvalidArgument,
                       std::string("there is no '") + name + "' among " +
                           names);
}

atc_status atc_model_input(const atc_model *model, size_t index,
                           atc_port *port) {
  return guarded([&] {
    return model ? getPort(model->inputs, index, port)
                 : invalidArgument("the model is null");
  });
}

atc_status atc_model_output(const atc_model *model, size_t index,
                            atc_port *port) {
  return guarded([&] {
    return model ? getPort(model->outputs, index, port)
                 : invalidArgument("the model is null");
  });
}

atc_status atc_model_input_index(const atc_model *model, const char *name,
                                 size_t *index) {
  return guarded([&] {
    return model ? findPort(model->inputs, name, index)
                 : invalidArgument("the model is null");
  });
}

atc_status atc_model_output_index(const atc_model *model, const char *name,
                                  size_t *index) {
  return guarded([&] {
    return model ? findPort(model->outputs, name, index)
                 : invalidArgument("the model is null");
  });
}

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

void atc_session_options_init(atc_session_options *options) {
  if (options)
    *options = {sizeof(atc_session_options), 0, ATC_DEVICE_CPU, 0};
}

atc_status atc_session_create(const atc_model *model,
                              const atc_session_options *options,
                              atc_session **session) {
  return guarded([&]() -> Status {
    if (!model || !session)
      return invalidArgument("the model or the result is null");
    *session = nullptr;
    SessionOptions converted;
    if (options) {
      if (options->struct_size != sizeof(atc_session_options))
        return invalidArgument(
            "the options were not set by atc_session_options_init");
      if (options->device != ATC_DEVICE_CPU &&
          options->device != ATC_DEVICE_SIMULATOR)
        return invalidArgument("the device is unknown");
      converted.threads = options->threads;
      converted.device = static_cast<DeviceKind>(options->device);
      converted.strictSimulation = options->strict_simulation != 0;
    }
    Expected<std::unique_ptr<Session>> created =
        Session::create(model->loaded, converted);
    if (!created)
      return created.status();
    auto handle = std::make_unique<atc_session>();
    handle->session = std::move(*created);
    *session = handle.release();
    return Status::success();
  });
}

void atc_session_free(atc_session *session) { delete session; }

static Status checkInput(const atc_session *session, size_t index,
                         const int64_t *dims, size_t rank) {
  if (!session)
    return invalidArgument("the session is null");
  if (index >= session->session->model().plan().inputs.size())
    return invalidArgument("there is no input of that index");
  if (!dims && rank != 0)
    return invalidArgument("the dims are null");
  return Status::success();
}

atc_status atc_session_set_input(atc_session *session, size_t index,
                                 const void *data, size_t bytes,
                                 const int64_t *dims, size_t rank) {
  return guarded([&]() -> Status {
    if (Status status = checkInput(session, index, dims, rank); !status)
      return status;
    if (!data && bytes != 0)
      return invalidArgument("the data is null");
    return session->session->setInput(index, data, bytes, dims, rank);
  });
}

atc_status atc_session_bind_input(atc_session *session, size_t index,
                                  const void *data, size_t bytes,
                                  const int64_t *dims, size_t rank) {
  return guarded([&]() -> Status {
    if (Status status = checkInput(session, index, dims, rank); !status)
      return status;
    if (!data && bytes != 0)
      return invalidArgument("the data is null");
    return session->session->bindInput(index, data, bytes, dims, rank);
  });
}

atc_status atc_session_input_buffer(atc_session *session, size_t index,
                                    const int64_t *dims, size_t rank,
                                    atc_tensor *tensor) {
  return guarded([&]() -> Status {
    if (Status status = checkInput(session, index, dims, rank); !status)
      return status;
    if (!tensor)
      return invalidArgument("the result is null");
    Expected<const TensorRef *> buffer =
        session->session->inputBuffer(index, dims, rank);
    if (!buffer)
      return buffer.status();
    fillTensorInfo(**buffer, *tensor);
    return Status::success();
  });
}

atc_status atc_session_bind_output(atc_session *session, size_t index,
                                   void *data, size_t capacity) {
  return guarded([&]() -> Status {
    if (!session || index >= session->session->model().plan().outputs.size())
      return invalidArgument("there is no output of that index");
    return session->session->bindOutput(index, data, capacity);
  });
}

atc_status atc_session_run(atc_session *session) {
  return guarded([&] {
    return session ? session->session->run()
                   : invalidArgument("the session is null");
  });
}

atc_status atc_session_output(const atc_session *session, size_t index,
                              atc_tensor *tensor) {
  return guarded([&]() -> Status {
    if (!session || !tensor ||
        index >= session->session->model().plan().outputs.size())
      return invalidArgument("there is no output of that index");
    Expected<const TensorRef *> result = session->session->output(index);
    if (!result)
      return result.status();
    fillTensorInfo(**result, *tensor);
    return Status::success();
  });
}

atc_status atc_session_reset_variables(atc_session *session) {
  return guarded([&]() -> Status {
    if (!session)
      return invalidArgument("the session is null");
    session->session->resetVariables();
    return Status::success();
  });
}

//===----------------------------------------------------------------------===//
// Observation
//===----------------------------------------------------------------------===//

atc_status atc_session_memory(const atc_session *session,
                              atc_memory_info *info) {
  return guarded([&]() -> Status {
    if (!session || !info)
      return invalidArgument("the session or the result is null");
    SessionMemoryInfo memory = session->session->memoryInfo();
    *info = {memory.weights,         memory.weightsAreResident, memory.arena,
             memory.arenaLowerBound, memory.variables,          memory.ports,
             memory.scratch};
    return Status::success();
  });
}

atc_status atc_session_set_profiling(atc_session *session, int enable) {
  return guarded([&]() -> Status {
    if (!session)
      return invalidArgument("the session is null");
    session->session->setProfiling(enable != 0);
    return Status::success();
  });
}

size_t atc_session_profile_count(const atc_session *session) {
  return session ? session->session->profile().records().size() : 0;
}

atc_status atc_session_profile_record(const atc_session *session, size_t index,
                                      atc_profile_record *record) {
  return guarded([&]() -> Status {
    if (!record || index >= atc_session_profile_count(session))
      return invalidArgument("there is no record of that index");
    const ProfileRecord &entry = session->session->profile().records()[index];
    *record = {entry.name->c_str(),   entry.opType->c_str(),
               entry.source->c_str(), entry.startNs,
               entry.durationNs,      entry.tiles,
               entry.threads,         entry.flops,
               entry.bytes,           entry.cycles};
    return Status::success();
  });
}

atc_status atc_session_write_trace(const atc_session *session,
                                   const char *path) {
  return guarded([&]() -> Status {
    if (!session || !path)
      return invalidArgument("the session or the path is null");
    return writeFileAtomically(path, session->session->profile().traceJson(),
                               AtomicFile::Durability::Cached);
  });
}

const char *atc_session_profile_table(atc_session *session) {
  if (!session)
    return "";
  atc_status status = guarded([&] {
    session->table = session->session->profile().table();
    return Status::success();
  });
  return status == ATC_OK ? session->table.c_str() : "";
}

atc_status atc_session_set_dump(atc_session *session,
                                atc_dump_function function, void *user) {
  return guarded([&]() -> Status {
    if (!session)
      return invalidArgument("the session is null");
    if (!function) {
      session->session->setDump({});
      return Status::success();
    }
    session->session->setDump([function, user](const std::string &name,
                                               const std::string &source,
                                               const TensorRef &tensor) {
      atc_tensor view;
      fillTensorInfo(tensor, view);
      function(user, name.c_str(), source.c_str(), &view);
    });
    return Status::success();
  });
}
