function love.conf(t)
  t.identity = "webnn-scene"
  t.version = "11.4"
  t.window.title = "webnn: a scene and what a network sees in it"
  t.window.width, t.window.height = 640, 240
  t.window.vsync = 0
  t.modules.audio, t.modules.sound, t.modules.joystick, t.modules.physics, t.modules.video = false, false, false, false, false
end
