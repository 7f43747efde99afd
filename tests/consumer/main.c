/* The least that a program does: a context comes and goes. */
#include <stdio.h>
#include <string.h>
#include <webnn/webnn.h>

int main(void) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context *context = NULL;
  webnn_error error = {WEBNN_OK, ""};
  options.backend = "reference";
  if (webnn_context_create(&options, &context, &error) != WEBNN_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  int ok = strstr(webnn_context_op_support_limits(context), "\"conv2d\"") != NULL;
  webnn_context_release(context);
  printf("webnn %s\n", webnn_version());
  return ok ? 0 : 1;
}
