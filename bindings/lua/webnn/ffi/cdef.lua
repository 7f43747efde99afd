--- What LuaJIT has to know of the C interface: webnn/*.h without comments and macros.
local ffi = require "ffi"

ffi.cdef [[
typedef struct webnn_context webnn_context;
typedef struct webnn_tensor webnn_tensor;
typedef struct webnn_builder webnn_builder;
typedef struct webnn_operand webnn_operand;
typedef struct webnn_graph webnn_graph;
typedef struct webnn_future webnn_future;
typedef struct webnn_op webnn_op;
typedef int webnn_status;
typedef int webnn_data_type;

typedef struct webnn_str { const char *data; size_t size; } webnn_str;
typedef struct webnn_error { webnn_status status; char message[1020]; } webnn_error;
typedef struct webnn_number {
  int kind;
  union { double f; int64_t i; uint64_t u; } as;
} webnn_number;
typedef struct webnn_descriptor {
  webnn_data_type data_type;
  size_t rank;
  const uint32_t *shape;
} webnn_descriptor;

const char *webnn_version(void);
const char *webnn_status_name(webnn_status status);
const char *webnn_data_type_name(webnn_data_type type);
size_t webnn_data_type_bytes(webnn_data_type type);

typedef struct webnn_context_options {
  size_t struct_size;
  int power_preference;
  bool accelerated;
  int device_type;
  const char *backend;
  uint32_t threads;
  int math;
  const char *passes;
  const void *allocator;
  const char *device;
  void *opencl_queue, *opencl_context;
} webnn_context_options;
typedef struct webnn_context_info {
  size_t struct_size;
  const char *backend, *device, *driver;
  uint32_t threads;
  const char *why;
} webnn_context_info;
typedef struct webnn_device_info {
  size_t struct_size;
  const char *backend;
  int device_type;
  char name[128], driver[192];
  uint64_t memory;
  uint32_t compute_units;
  bool shares_memory, usable;
} webnn_device_info;
bool webnn_device_get_info(size_t i, int preference, webnn_device_info *out);
webnn_status webnn_context_create(const webnn_context_options *options, webnn_context **out, webnn_error *err);
webnn_context *webnn_context_retain(webnn_context *context);
void webnn_context_release(webnn_context *context);
void webnn_context_destroy(webnn_context *context);
bool webnn_context_is_lost(const webnn_context *context);
webnn_future *webnn_context_lost(webnn_context *context);
bool webnn_context_accelerated(const webnn_context *context);
void webnn_context_get_info(const webnn_context *context, webnn_context_info *out);
const char *webnn_context_op_support_limits(webnn_context *context);
typedef struct webnn_peaks { size_t struct_size; double flops, bytes; } webnn_peaks;
webnn_status webnn_context_measure_peaks(webnn_context *context, webnn_peaks *out, webnn_error *err);
webnn_status webnn_context_push_error_scope(webnn_context *context, int filter, webnn_error *err);
webnn_status webnn_context_pop_error_scope(webnn_context *context, webnn_error *out, webnn_error *err);
int webnn_context_fd(webnn_context *context);
void webnn_context_drain(webnn_context *context);

typedef struct webnn_tensor_options { size_t struct_size; bool readable, writable; } webnn_tensor_options;
webnn_status webnn_tensor_create(webnn_context *context, const webnn_descriptor *descriptor,
  const webnn_tensor_options *options, webnn_tensor **out, webnn_error *err);
webnn_status webnn_tensor_create_constant(webnn_context *context, const webnn_descriptor *descriptor,
  const void *data, size_t n_bytes, webnn_tensor **out, webnn_error *err);
void webnn_tensor_release(webnn_tensor *tensor);
void webnn_tensor_destroy(webnn_tensor *tensor);
webnn_descriptor webnn_tensor_descriptor(const webnn_tensor *tensor);
size_t webnn_tensor_byte_length(const webnn_tensor *tensor);
bool webnn_tensor_readable(const webnn_tensor *tensor);
bool webnn_tensor_writable(const webnn_tensor *tensor);
bool webnn_tensor_constant(const webnn_tensor *tensor);
bool webnn_tensor_is_destroyed(const webnn_tensor *tensor);
webnn_context *webnn_tensor_context(const webnn_tensor *tensor);
webnn_status webnn_tensor_write(webnn_context *context, webnn_tensor *tensor, const void *data, size_t n_bytes,
  webnn_error *err);
webnn_status webnn_tensor_read(webnn_context *context, webnn_tensor *tensor, webnn_future **out, webnn_error *err);
webnn_status webnn_tensor_import_opencl(webnn_context *context, const webnn_descriptor *descriptor,
  const webnn_tensor_options *options, void *memory, void *event, webnn_tensor **out, webnn_error *err);
webnn_status webnn_tensor_export_opencl(webnn_tensor *tensor, void **memory, void **event, webnn_error *err);
webnn_status webnn_tensor_return_opencl(webnn_tensor *tensor, void *event, webnn_error *err);

webnn_future *webnn_future_retain(webnn_future *future);
void webnn_future_release(webnn_future *future);
bool webnn_future_done(const webnn_future *future);
webnn_status webnn_future_wait(webnn_future *future, int64_t timeout_ns);
webnn_status webnn_future_result(const webnn_future *future, webnn_error *err);
webnn_graph *webnn_future_graph(const webnn_future *future);
const void *webnn_future_data(const webnn_future *future, size_t *n_bytes);
const char *webnn_future_message(const webnn_future *future);

typedef struct webnn_named_operand { webnn_str name; const webnn_operand *operand; } webnn_named_operand;
typedef struct webnn_named_tensor { webnn_str name; webnn_tensor *tensor; } webnn_named_tensor;
typedef struct webnn_named_data { webnn_str name; void *data; size_t n_bytes; } webnn_named_data;
webnn_status webnn_builder_create(webnn_context *context, webnn_builder **out, webnn_error *err);
webnn_builder *webnn_builder_retain(webnn_builder *builder);
void webnn_builder_release(webnn_builder *builder);
const webnn_error *webnn_builder_error(const webnn_builder *builder);
webnn_context *webnn_builder_context(const webnn_builder *builder);
webnn_status webnn_builder_input(webnn_builder *builder, webnn_str name, const webnn_descriptor *descriptor,
  webnn_operand **out);
webnn_status webnn_builder_constant(webnn_builder *builder, const webnn_descriptor *descriptor, const void *data,
  size_t n_bytes, webnn_operand **out);
webnn_status webnn_builder_constant_number(webnn_builder *builder, webnn_data_type type, webnn_number value,
  webnn_operand **out);
webnn_status webnn_builder_constant_tensor(webnn_builder *builder, webnn_tensor *tensor, webnn_operand **out);
webnn_status webnn_builder_build(webnn_builder *builder, const webnn_named_operand *outputs, size_t n_outputs,
  webnn_future **out);
webnn_descriptor webnn_operand_descriptor(const webnn_operand *operand);
webnn_str webnn_operand_label(const webnn_operand *operand);
webnn_builder *webnn_operand_builder(const webnn_operand *operand);

typedef struct webnn_graph_step {
  size_t struct_size;
  const char *operations, *kernel, *shapes;
  webnn_str label;
  uint64_t n_bytes, n_flops;
  const char *layout, *declined, *reason;
  uint32_t n_threads, n_launches;
} webnn_graph_step;
typedef struct webnn_graph_memory { size_t struct_size; uint64_t weights, arena, scratch; } webnn_graph_memory;
void webnn_graph_get_memory(const webnn_graph *graph, webnn_graph_memory *out);
webnn_graph *webnn_graph_retain(webnn_graph *graph);
void webnn_graph_release(webnn_graph *graph);
void webnn_graph_destroy(webnn_graph *graph);
bool webnn_graph_is_destroyed(const webnn_graph *graph);
webnn_context *webnn_graph_context(const webnn_graph *graph);
size_t webnn_graph_n_inputs(const webnn_graph *graph);
size_t webnn_graph_n_outputs(const webnn_graph *graph);
webnn_str webnn_graph_input(const webnn_graph *graph, size_t i, webnn_descriptor *out);
webnn_str webnn_graph_output(const webnn_graph *graph, size_t i, webnn_descriptor *out);
size_t webnn_graph_n_steps(const webnn_graph *graph);
bool webnn_graph_get_step(const webnn_graph *graph, size_t i, webnn_graph_step *out);
webnn_status webnn_graph_profile(webnn_context *context, webnn_graph *graph, const webnn_named_data *inputs,
  size_t n_inputs, const webnn_named_data *outputs, size_t n_outputs, double *seconds, size_t n_steps,
  webnn_error *err);
webnn_status webnn_graph_dispatch(webnn_context *context, webnn_graph *graph, const webnn_named_tensor *inputs,
  size_t n_inputs, const webnn_named_tensor *outputs, size_t n_outputs, webnn_error *err);
webnn_status webnn_graph_compute(webnn_context *context, webnn_graph *graph, const webnn_named_data *inputs,
  size_t n_inputs, const webnn_named_data *outputs, size_t n_outputs, webnn_error *err);

typedef struct webnn_field {
  const char *name, *spec_name;
  int kind;
  bool required, extension;
  const char *const *enum_values;
  uint32_t n_extension_values;
  const char *default_text, *doc;
} webnn_field;
typedef struct webnn_value {
  int kind;
  size_t n;
  union {
    const webnn_operand *operand;
    const webnn_operand *const *operands;
    uint32_t u;
    int32_t i;
    const uint32_t *us;
    webnn_number number;
    const double *floats;
    bool b;
    uint32_t e;
    webnn_str str;
  } as;
} webnn_value;
const webnn_op *webnn_op_next(const webnn_op *op);
const webnn_op *webnn_op_find(const char *name);
const char *webnn_op_name(const webnn_op *op);
const char *webnn_op_spec_name(const webnn_op *op);
const char *webnn_op_doc(const webnn_op *op);
bool webnn_op_extension(const webnn_op *op);
bool webnn_op_returns_list(const webnn_op *op);
const webnn_field *webnn_op_field(const webnn_op *op, size_t i);
webnn_status webnn_builder_call(webnn_builder *builder, const webnn_op *op, const webnn_value *values,
  size_t n_values, webnn_operand **outs, size_t *n_outs);

webnn_status webnn_serial_write_file(webnn_builder *builder, const webnn_named_operand *outputs, size_t n_outputs,
  const char *path);
webnn_status webnn_serial_read(webnn_builder *builder, const void *data, size_t n_bytes,
  const webnn_named_operand **outs, size_t *n_outs);
webnn_status webnn_serial_read_file(webnn_builder *builder, const char *path, const webnn_named_operand **outs,
  size_t *n_outs);

typedef struct webnn_lua_buffer {
  int32_t type;
  uint32_t rank;
  uint32_t dims[8];
  double n;
  uint8_t *data;
  uint64_t words[?];
} webnn_lua_buffer;
]]

local names = {
  Linux = { "libwebnn.so.0", "libwebnn.so" },
  OSX = { "libwebnn.0.dylib", "libwebnn.dylib" },
  Windows = { "webnn.dll", "libwebnn.dll" },
}

-- Where the library may be: as WEBNN_LIBRARY says, beside this file, where modules in C are, in the system.
local function candidates()
  local list = { os.getenv("WEBNN_LIBRARY") }
  local folders = { debug.getinfo(1, "S").source:match("^@(.*)[/\\]ffi[/\\][^/\\]*$") }
  for template in package.cpath:gmatch("[^;]+") do
    local folder = template:gsub("%?", "webnn/core"):match("^(.*)[/\\]")
    if folder then folders[#folders + 1] = folder end
  end
  local own = names[ffi.os] or names.Linux
  for _, folder in ipairs(folders) do
    for _, name in ipairs(own) do list[#list + 1] = folder .. "/" .. name end
  end
  for _, name in ipairs(own) do list[#list + 1] = name end
  return list
end

local function load()
  local first
  for _, name in ipairs(candidates()) do
    local ok, library = pcall(ffi.load, name)
    if ok then return library end
    -- The first file that is there but cannot be used says more than the ones that aren't there.
    if not first or not tostring(library):find("No such file", 1, true) then first = first or library end
  end
  error("webnn.ffi: libwebnn was not found; set WEBNN_LIBRARY to its path (" .. tostring(first) .. ")", 0)
end

return load()
