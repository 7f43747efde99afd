--- Finds edges: luminance, a soft blur, two Sobel filters, their length, painted as heat.
local network = {}

local function constant(b, shape, numbers)
  return b:constant({ shape = shape, data_type = "float32" }, numbers)
end

--- A future of the graph: "image" and "edges" are RGBA bytes of `width` times `height`.
function network.build(webnn, context, width, height)
  local b = webnn.graph_builder(context)
  local image = b:input("image", { shape = { 1, height, width, 4 }, data_type = "uint8" })
  local colours = b:cast(image, "float32") / 255
  local nchw = b:transpose(colours, { permutation = { 0, 3, 1, 2 } })
  local grey = b:conv2d(nchw, constant(b, { 1, 4, 1, 1 }, { 0.299, 0.587, 0.114, 0 }), { label = "grey" })
  local blur = b:conv2d(grey, constant(b, { 1, 1, 3, 3 }, { { 1, 2, 1 }, { 2, 4, 2 }, { 1, 2, 1 } }) / 16,
    { padding = { 1, 1, 1, 1 }, label = "blur" })
  local sobel = b:conv2d(blur, constant(b, { 2, 1, 3, 3 }, {
    { { -1, 0, 1 }, { -2, 0, 2 }, { -1, 0, 1 } },
    { { -1, -2, -1 }, { 0, 0, 0 }, { 1, 2, 1 } },
  }), { padding = { 1, 1, 1, 1 }, label = "sobel" })
  local strength = b:clamp(b:reduce_l2(sobel, { axes = { 1 }, keep_dimensions = true }), { min_value = 0, max_value = 1 })
  -- Heat: red comes first, then green, then blue; opaque everywhere.
  local heat = b:conv2d(strength, constant(b, { 4, 1, 1, 1 }, { 3, 3, 3, 0 }),
    { bias = constant(b, { 4 }, { 0, -1, -2, 1 }), label = "heat" })
  local bytes = b:cast(b:clamp(heat, { min_value = 0, max_value = 1 }) * 255, "uint8")
  return b:build { edges = b:transpose(bytes, { permutation = { 0, 2, 3, 1 } }) }
end

return network
