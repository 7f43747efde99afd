--- OpenCL: choosing a device, a device that the host owns, memory that is lent and borrowed. Owning one takes LuaJIT.
return function(t, env)
  local webnn = env.webnn
  local has_ffi, ffi = pcall(require, "ffi")
  local shared

  local function opencl()
    if env.backend then t.skip("the backend is chosen: " .. env.backend) end
    if shared == nil then
      local context, problem = webnn.ml():create_context { backend = "opencl" }:await()
      shared = context or false
      if not context then t.equal(problem.name, "NotSupportedError") end
    end
    return shared or t.skip("there is no OpenCL here")
  end

  local function halved(context)
    local b = webnn.graph_builder(context)
    return assert(b:build { y = b:input("x", { shape = { 3 }, data_type = "float32" }) * 0.5 }:await())
  end

  local function tensor(context)
    return assert(context:create_tensor { shape = { 3 }, data_type = "float32", readable = true, writable = true }:await())
  end

  t.test("a device by a part of its name", function()
    local device = opencl().info.device
    local context = assert(webnn.ml():create_context { backend = "opencl", device = device:sub(2, -2) }:await())
    t.equal(context.info.device, device)
    t.list(context:compute(halved(context), { x = { 1, 2, 4 } }).y, { 0.5, 1, 2 })
    context:destroy()
  end)

  t.test("memory goes out, comes in as another tensor, and comes back", function()
    local context = opencl()
    local a = tensor(context)
    assert(context:write_tensor(a, { 1, 2, 4 }))
    local memory, event = a:export_opencl()
    t.raises("InvalidStateError", context.write_tensor, context, a, { 0, 0, 0 })
    t.raises("InvalidStateError", a.export_opencl, a)
    local what = { shape = { 3 }, data_type = "float32", readable = true, writable = true }
    local b = assert(context:import_opencl(what, memory, event):await())
    t.list(context:read_tensor(b):await(), { 1, 2, 4 })
    assert(context:write_tensor(b, { 8, 16, 32 }))
    context:read_tensor(b):await()
    t.equal(a:return_opencl(event), true)
    t.list(context:read_tensor(a):await(), { 8, 16, 32 })
    t.raises("InvalidStateError", a.return_opencl, a)
    t.raises("import_opencl", context.import_opencl, context, { shape = { 1000 }, data_type = "float32" }, memory)
    b:destroy()
  end)

  t.test("what is no handle is refused", function()
    local context, ml = env.context(), webnn.ml()
    local what = { shape = { 3 }, data_type = "float32" }
    local a = tensor(context)
    for _, wrong in ipairs { {}, "queue", true, 0, 12, 1.5, -4096, 2 ^ 70, 0 / 0, context, webnn.buffer("uint8", 8) } do
      t.raises("create_context: opencl_queue", ml.create_context, ml, { opencl_queue = wrong })
      t.raises("create_context: opencl_context", ml.create_context, ml, { opencl_context = wrong })
      t.raises("import_opencl: memory", context.import_opencl, context, what, wrong)
      t.raises("import_opencl: event", context.import_opencl, context, what, 4096, wrong)
      t.raises("return_opencl: event", a.return_opencl, a, wrong)
    end
    if has_ffi then
      for _, wrong in ipairs { ffi.new "int[4]", ffi.new "struct { int x; }", ffi.new "void *", ffi.new("int64_t", 5) } do
        t.raises("create_context: opencl_queue", ml.create_context, ml, { opencl_queue = wrong })
      end
    end
    t.raises("import_opencl: memory must be a pointer, not nil", context.import_opencl, context, what)
    t.raises("there is no option 'readible'", context.import_opencl, context,
      { shape = { 3 }, data_type = "float32", readible = true }, 4096)
    t.raises("create_context: device must be a string", ml.create_context, ml, { device = 1 })
  end)

  t.test("only OpenCL shares OpenCL's memory", function()
    local context = webnn.ml():create_context { backend = "reference" }:await()
    local a = tensor(context)
    local memory, problem = a:export_opencl()
    t.equal(memory, nil)
    t.equal(problem.name, "NotSupportedError")
    memory, problem = context:import_opencl({ shape = { 3 }, data_type = "float32" }, 4096):await()
    t.equal(memory, nil)
    t.equal(problem.name, "NotSupportedError")
    t.raises("InvalidStateError", a.return_opencl, a)
  end)

  -- ---- an OpenCL of the host's own

  local function declare()
    ffi.cdef [[
      int clGetPlatformIDs(unsigned n, void **out, unsigned *n_out);
      int clGetDeviceIDs(void *platform, uint64_t type, unsigned n, void **out, unsigned *n_out);
      void *clCreateContext(const intptr_t *properties, unsigned n, void **devices, void *notify, void *ud, int *err);
      void *clCreateCommandQueue(void *context, void *device, uint64_t properties, int *err);
      void *clCreateBuffer(void *context, uint64_t flags, size_t size, void *host, int *err);
      int clEnqueueReadBuffer(void *queue, void *buffer, unsigned blocking, size_t offset, size_t size, void *out,
        unsigned n_events, void **events, void **event);
      int clReleaseContext(void *);
      int clReleaseCommandQueue(void *);
      int clReleaseMemObject(void *);
      int clReleaseEvent(void *);
    ]]
  end

  -- The library; and a context and a queue on the first device.
  local function owner()
    opencl()
    if not has_ffi then t.skip("no ffi here") end
    pcall(declare) -- once in a process
    local found, cl = pcall(ffi.load, "OpenCL.so.1")
    if not found then t.skip("the OpenCL library has another name here") end
    local one, device, status = ffi.new "void *[1]", ffi.new "void *[1]", ffi.new "int[1]"
    t.equal(cl.clGetPlatformIDs(1, one, nil), 0)
    t.equal(cl.clGetDeviceIDs(one[0], 4294967295, 1, device, nil), 0)
    local context = cl.clCreateContext(nil, 1, device, nil, nil, status)
    t.equal(status[0], 0)
    local queue = cl.clCreateCommandQueue(context, device[0], 0, status)
    t.equal(status[0], 0)
    return cl, context, queue
  end

  t.test("a context on the host's queue or context", function()
    local cl, cl_context, queue = owner()
    local number = tonumber(ffi.cast("uintptr_t", queue))
    for _, options in ipairs { { opencl_queue = queue }, { opencl_queue = number }, { opencl_context = cl_context } } do
      local context = assert(webnn.ml():create_context(options):await())
      t.equal(context.info.backend, "opencl")
      t.list(context:compute(halved(context), { x = { 1, 2, 4 } }).y, { 0.5, 1, 2 })
      context:destroy()
    end
    cl.clReleaseCommandQueue(queue)
    cl.clReleaseContext(cl_context)
  end)

  t.test("the host's memory is a tensor, a tensor's the host's", function()
    local cl, cl_context, queue = owner()
    local status, out = ffi.new "int[1]", ffi.new "float[3]"
    local memory = cl.clCreateBuffer(cl_context, 1, 12, nil, status)
    t.equal(status[0], 0)
    local context = assert(webnn.ml():create_context { opencl_queue = queue }:await())
    local what = { shape = { 3 }, data_type = "float32", readable = true, writable = true }
    local a, b = assert(context:import_opencl(what, memory):await()), tensor(context)
    assert(context:write_tensor(a, { 1, 2, 4 }))
    assert(context:dispatch(halved(context), { x = a }, { y = b }))
    context:read_tensor(a):await()
    t.equal(cl.clEnqueueReadBuffer(queue, memory, 1, 0, 12, out, 0, nil, nil), 0)
    t.list({ out[0], out[1], out[2] }, { 1, 2, 4 })
    local lent, event = b:export_opencl()
    local events = ffi.new("void *[1]", ffi.cast("void *", event))
    t.equal(cl.clEnqueueReadBuffer(queue, ffi.cast("void *", lent), 1, 0, 12, out, 1, events, nil), 0)
    t.list({ out[0], out[1], out[2] }, { 0.5, 1, 2 })
    cl.clReleaseEvent(ffi.cast("void *", event))
    t.equal(b:return_opencl(), true)
    t.list(context:read_tensor(b):await(), { 0.5, 1, 2 })
    context:destroy()
    cl.clReleaseMemObject(memory)
    cl.clReleaseCommandQueue(queue)
    cl.clReleaseContext(cl_context)
  end)
end
