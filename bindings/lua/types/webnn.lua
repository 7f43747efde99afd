---@meta
-- What the module offers, for the LuaLS language server. The operations are in ops.lua.

---@alias webnn.DataType "float32"|"float16"|"int32"|"uint32"|"int64"|"uint64"|"int8"|"uint8"

--- A number; 64-bit integers may be strings of decimal digits, or LuaJIT's C data.
---@alias webnn.Number number|string|ffi.cdata*

--- Bytes: a packed string, a buffer, a table of numbers (nested too), LuaJIT's C data, an object with getPointer
--- and getSize (LÖVE's Data), or an address (light userdata, integer, pointer) with its size as the next argument.
---@alias webnn.Data string|webnn.Buffer|table|number|lightuserdata|userdata|ffi.cdata*

--- A handle of somebody else's: light userdata, a C pointer, or its number.
---@alias webnn.Handle lightuserdata|ffi.cdata*|integer

---@class webnn.Descriptor
---@field shape integer[]
---@field data_type webnn.DataType

---@class webnn.Error
---@field name "TypeError"|"InvalidStateError"|"NotSupportedError"|"OperationError"|"UnknownError"|"TimeoutError"
---@field message string

--- Something that settles once, with a value or an error.
---@class webnn.Future<T>: { await: (fun(self): T?, webnn.Error?), result: (fun(self, timeout?: number): T?, webnn.Error?) }
local Future = {}

--- The value, or nil and the error. Yields inside a coroutine until there is one, blocks outside.
---@return any value, webnn.Error? error
function Future:await() end

--- The same, but it blocks everywhere, at most `timeout` seconds.
---@param timeout? number
---@return any value, webnn.Error? error
function Future:result(timeout) end

--- True once it has settled.
---@return boolean
function Future:done() end

--- Calls `fn(future)` once it has settled: at once, or in a later webnn.poll().
---@param fn fun(future: webnn.Future)
---@return webnn.Future
function Future:on_done(fn) end

--- A coroutine that webnn.poll() runs on, and a future of what its function returns.
---@class webnn.Task: webnn.Future

---@class webnn.ML
local ML = {}

---@class webnn.ContextOptions
---@field device_type? "cpu"|"gpu"
---@field power_preference? "default"|"high-performance"|"low-power"
---@field accelerated? boolean
---@field backend? "auto"|"onednn"|"opencl"|"reference"
---@field threads? integer
---@field math? "exact"|"fast"
---@field passes? string
---@field device? string Part of the name of the wanted device of OpenCL.
---@field opencl_queue? webnn.Handle The cl_command_queue whose context and device are to be used.
---@field opencl_context? webnn.Handle The cl_context whose first usable device is to be used.

---@param options? webnn.ContextOptions
---@return webnn.Future<webnn.Context>
function ML:create_context(options) end

--- A device and its ordered timeline.
---@class webnn.Context
---@field accelerated boolean
---@field lost webnn.Future<{ message: string }> Settles when the context is lost.
---@field info { backend: string, device: string, driver: string, threads: integer, why: string }
local Context = {}

---@class webnn.TensorOptions: webnn.Descriptor
---@field readable? boolean
---@field writable? boolean

---@param options webnn.TensorOptions
---@return webnn.Future<webnn.Tensor>
function Context:create_tensor(options) end

---@param descriptor webnn.Descriptor
---@param data webnn.Data
---@param size? integer
---@return webnn.Future<webnn.Tensor>
function Context:create_constant_tensor(descriptor, data, size) end

--- Writes the whole tensor; `data` is copied before the call returns.
---@param tensor webnn.Tensor
---@param data webnn.Data
---@param size? integer
---@return true?, webnn.Error?
function Context:write_tensor(tensor, data, size) end

--- Reads the whole tensor, into `buffer` where given.
---@param tensor webnn.Tensor
---@param buffer? webnn.Buffer
---@return webnn.Future<webnn.Buffer>
function Context:read_tensor(tensor, buffer) end

--- Runs the graph on tensors by name and returns at once.
---@param graph webnn.Graph
---@param inputs table<string, webnn.Tensor>
---@param outputs table<string, webnn.Tensor>
---@return true?, webnn.Error?
function Context:dispatch(graph, inputs, outputs) end

--- Runs the graph on data by name and waits. An address stands in a list with its size: `{pointer, size}`.
---@param graph webnn.Graph
---@param inputs table<string, webnn.Data>
---@param outputs? table<string, webnn.Data>
---@return table<string, webnn.Buffer>?, webnn.Error?
function Context:compute(graph, inputs, outputs) end

--- A tensor on an OpenCL buffer of the context's own cl_context; its first use waits for `event`.
---@param options webnn.TensorOptions
---@param memory webnn.Handle
---@param event? webnn.Handle
---@return webnn.Future<webnn.Tensor>
function Context:import_opencl(options, memory, event) end

--- What the device reaches with nothing else to do, a second; the first call measures for some tenths of one.
---@return { flops: number, bytes: number }?, webnn.Error?
function Context:measure_peaks() end

--- What the context can do, a table as in the specification.
---@return table
function Context:op_support_limits() end

---@param filter "validation"|"out-of-memory"|"internal"
function Context:push_error_scope(filter) end

--- The first failure since the scope was opened, nil when there was none.
---@return webnn.Error?
function Context:pop_error_scope() end

--- A descriptor that becomes readable when futures have settled; -1 where there is none.
---@return integer
function Context:fd() end

--- Makes the descriptor unreadable again; call it before webnn.poll().
function Context:drain() end

--- Loses the context on purpose, with all that came from it.
function Context:destroy() end

---@class webnn.Tensor
---@field shape integer[]
---@field data_type webnn.DataType
---@field byte_length integer
---@field readable boolean
---@field writable boolean
---@field constant boolean
---@field context webnn.Context
local Tensor = {}

function Tensor:destroy() end

--- Lends the memory out until return_opencl: its cl_mem, which stays the tensor's, and a cl_event, the caller's to
--- release, that comes when queued work is done.
---@return webnn.Handle? memory, webnn.Handle|webnn.Error event
function Tensor:export_opencl() end

--- Takes the memory back; what uses the tensor next waits for `event`.
---@param event? webnn.Handle
---@return true?, webnn.Error?
function Tensor:return_opencl(event) end

--- A value of a graph under construction.
---@class webnn.Operand
---@field shape integer[]
---@field data_type webnn.DataType
---@field label string
---@field builder webnn.GraphBuilder
---@operator add(webnn.Operand|webnn.Number): webnn.Operand
---@operator sub(webnn.Operand|webnn.Number): webnn.Operand
---@operator mul(webnn.Operand|webnn.Number): webnn.Operand
---@operator div(webnn.Operand|webnn.Number): webnn.Operand
---@operator pow(webnn.Operand|webnn.Number): webnn.Operand
---@operator unm: webnn.Operand

--- Makes a graph, operation by operation.
---@class webnn.GraphBuilder
---@field context webnn.Context
local GraphBuilder = {}

---@param name string
---@param descriptor webnn.Descriptor
---@return webnn.Operand
function GraphBuilder:input(name, descriptor) end

---@overload fun(self, data_type: webnn.DataType, value: webnn.Number): webnn.Operand
---@overload fun(self, tensor: webnn.Tensor): webnn.Operand
---@overload fun(self, buffer: webnn.Buffer): webnn.Operand
---@param descriptor webnn.Descriptor
---@param data webnn.Data
---@param size? integer
---@return webnn.Operand
function GraphBuilder:constant(descriptor, data, size) end

--- Compiles what the outputs need and closes the builder.
---@param outputs table<string, webnn.Operand>
---@return webnn.Future<webnn.Graph>
function GraphBuilder:build(outputs) end

--- Writes what the outputs need into a file.
---@param path string
---@param outputs table<string, webnn.Operand>
---@return true?, webnn.Error?
function GraphBuilder:save(path, outputs) end

---@param outputs table<string, webnn.Operand>
---@return string?, webnn.Error?
function GraphBuilder:save_data(outputs) end

--- Adds what a file holds: its outputs by name.
---@param path string
---@return table<string, webnn.Operand>?, webnn.Error?
function GraphBuilder:load(path) end

---@param data webnn.Data
---@param size? integer
---@return table<string, webnn.Operand>?, webnn.Error?
function GraphBuilder:load_data(data, size) end

---@class webnn.Graph
---@field inputs table<string, webnn.TensorOptions> A new table each time, for create_tensor.
---@field outputs table<string, webnn.TensorOptions>
---@field context webnn.Context
---@field memory { weights: integer, arena: integer, scratch: integer } Bytes that it keeps.
local Graph = {}

function Graph:destroy() end

--- One step: some operations that run as one.
---@class webnn.Step
---@field operations string
---@field kernel string
---@field shapes string Of the operands and the result; `:0231` is an order of axes, `c` a constant.
---@field layout string How the result lies.
---@field declined string Kernels that were asked before and can't do it.
---@field reason string Why only the slow kernel takes it; empty where another does.
---@field label string
---@field threads integer
---@field bytes integer
---@field flops integer
---@field launches integer Kernels that it starts on a device; 0 on the host.

--- The compiled steps in running order.
---@return webnn.Step[]
function Graph:steps() end

---@class webnn.TimedStep: webnn.Step
---@field seconds number Of a run.
---@field share number Of all steps.
---@field flops_per_second number
---@field of_peak number Of what Context.measure_peaks finds: products or memory, whichever is more.

--- Runs the graph and says of each step what it does and how long it takes.
---@param inputs table<string, webnn.Data>
---@param runs? integer 10 where it isn't given.
---@return webnn.TimedStep[]?, webnn.Error?
function Graph:profile(inputs, runs) end

--- What became of the operations; prints as a text. `reference` has the numbers of steps that only the slow kernel takes.
---@return { info: table, steps: webnn.Step[], reference: integer[] }
function Graph:explain() end

--- A typed array; indices begin with 1. Integers that a number cannot hold exactly are read as C data in LuaJIT, as
--- strings elsewhere.
---@class webnn.Buffer
---@field shape integer[]
---@field data_type webnn.DataType
---@field [integer] webnn.Number
---@operator len: integer
local Buffer = {}

--- The bytes.
---@return string
function Buffer:string() end

--- The elements.
---@return webnn.Number[]
function Buffer:table() end

--- Where the bytes are and how many; valid as long as the buffer.
---@return lightuserdata|ffi.cdata* pointer, integer n_bytes
function Buffer:pointer() end

--- The same memory from element `first` to `last`, as another type if asked.
---@param first? integer
---@param last? integer
---@param data_type? webnn.DataType
---@return webnn.Buffer
function Buffer:view(first, last, data_type) end

---@param value webnn.Number
---@return webnn.Buffer
function Buffer:fill(value) end

---@param data webnn.Data
---@param size? integer
---@return webnn.Buffer
function Buffer:set(data, size) end

---@class webnn
---@field _VERSION string
local webnn = {}

---@return webnn.ML
function webnn.ml() end

---@class webnn.Device
---@field backend string
---@field device_type "cpu"|"gpu"
---@field device string Its name, of which a part is enough for create_context.
---@field driver string
---@field memory integer In bytes; 0: not known.
---@field compute_units integer
---@field shares_memory boolean With the host.
---@field usable boolean

--- The devices that there are; of a kind, what a context would take first comes first.
---@param options? { power_preference?: "default"|"high-performance"|"low-power" }
---@return webnn.Device[]
function webnn.devices(options) end

---@param context webnn.Context
---@return webnn.GraphBuilder
function webnn.graph_builder(context) end

--- Zeros, or a copy of data.
---@param data_type webnn.DataType
---@param data integer|webnn.Data
---@param size? integer
---@return webnn.Buffer
function webnn.buffer(data_type, data, size) end

--- Starts a coroutine that webnn.poll() runs on.
---@param fn function
---@param ... any
---@return webnn.Task
function webnn.spawn(fn, ...) end

--- Runs on what has settled; never blocks. Returns how much still waits.
---@param budget_ms? number
---@return integer
function webnn.poll(budget_ms) end

--- Runs a function as a coroutine, and all that it spawns, to the end.
---@param fn? function
---@param ... any
---@return any
function webnn.run(fn, ...) end

--- As pcall; a coroutine can await inside, in Lua 5.1 too.
---@param fn function
---@param ... any
---@return boolean ok, any ...
function webnn.pcall(fn, ...) end

---@param hooks? { suspend: fun(future: webnn.Future), resume: fun(future: webnn.Future) }
function webnn.set_scheduler(hooks) end

---@param handler? fun(message: any)
function webnn.set_error_handler(handler) end

---@param path string
---@param context webnn.Context
---@return webnn.Future<webnn.Graph>
function webnn.load(path, context) end

---@param data webnn.Data
---@param context webnn.Context
---@return webnn.Future<webnn.Graph>
function webnn.load_data(data, context) end

---@param path string
---@param builder webnn.GraphBuilder
---@param outputs table<string, webnn.Operand>
---@return true?, webnn.Error?
function webnn.save(path, builder, outputs) end

--- Prints how an operation is called.
---@param name string
function webnn.op(name) end

--- The same as text.
---@param name string
---@return string
function webnn.usage(name) end

--- The row of an operation in the table, by its name here or in the specification.
---@param name string
---@return { name: string, spec_name: string, doc: string, extension: boolean, returns_list: boolean, fields: table[] }?
function webnn.op_info(name) end

--- The names of all operations.
---@return string[]
function webnn.ops() end

--- The name of one of these types, nil for anything else.
---@param value any
---@return "Context"|"Tensor"|"GraphBuilder"|"Operand"|"Graph"|"Future"|"Buffer"|nil
function webnn.type(value) end

--- Seconds on a clock that never goes back.
---@return number
function webnn.now() end

return webnn
