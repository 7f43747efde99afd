# How all our C is compiled: an interface target, so that nothing leaks into who uses us.
add_library(webnn_flags INTERFACE)
target_compile_definitions(webnn_flags INTERFACE _POSIX_C_SOURCE=200809L)
target_compile_options(webnn_flags INTERFACE
  -Wall -Wextra -Wshadow -Wpointer-arith -Wundef -Wvla
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
  $<$<BOOL:${WEBNN_WERROR}>:-Werror>)
if(WEBNN_SANITIZE)
  target_compile_options(webnn_flags INTERFACE -fsanitize=${WEBNN_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(webnn_flags INTERFACE -fsanitize=${WEBNN_SANITIZE})
endif()
