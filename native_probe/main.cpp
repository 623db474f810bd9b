// pmtwin-probe: measures a memory device through a file in a directory.

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "native/common/errors.h"
#include "native_probe/context.h"
#include "native_probe/interrupt.h"
#include "native_probe/options.h"
#include "native_probe/serve.h"

int main(int argc, char** argv) {
  using namespace pmtwin::probe;
  try {
    const Options options = parse_options(std::vector<std::string>(argv + 1, argv + argc));
    if (options.help) {
      std::fputs(kUsage, stdout);
      return 0;
    }
    if (options.version) {
      std::printf("pmtwin-probe, schema %d, Google Benchmark %s\n", kSchemaVersion, PMTWIN_BENCHMARK_VERSION);
      return 0;
    }
    catch_interrupts();
    if (options.serve) {
      Session session(options.session);
      serve(session);
    } else {
      run_file(options.session, options.cases, options.output);
    }
    return 0;
  } catch (const pmtwin::InputError& error) {
    std::fprintf(stderr, "pmtwin-probe: %s\n", error.what());
    return pmtwin::InputError::kExitCode;
  } catch (const pmtwin::Interrupted&) {
    return 128 + interrupt_signal();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pmtwin-probe: %s\n", error.what());
    return 1;
  }
}
