// A library to load before the others, which gives the solvers in the child process a fault:
//   LD_PRELOAD=libfaulty_coin.so POET_TEST_FAULT=abort POET_TEST_FAULT_IN=cbc poet-solve ...
// The program itself knows nothing of it.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

class CbcModel;
class CbcSolverUsefulData;

namespace {

void take_all_memory() {
  const rlimit little{.rlim_cur = rlim_t{1} << 29, .rlim_max = rlim_t{1} << 29};
  ::setrlimit(RLIMIT_AS, &little);
  std::vector<std::vector<char>> taken;
  while (true) taken.emplace_back(std::size_t{1} << 24, 'x');
}

/// Misbehaves if `place` is where it should; may not return.
void misbehave_in(const char* place) {
  const char* const wanted = std::getenv("POET_TEST_FAULT_IN");
  const char* const fault = std::getenv("POET_TEST_FAULT");
  if (wanted == nullptr || fault == nullptr || std::strcmp(wanted, place) != 0) return;
  if (std::strcmp(fault, "abort") == 0) std::abort();
  if (std::strcmp(fault, "exit") == 0) std::exit(0);
  if (std::strcmp(fault, "segfault") == 0) std::raise(SIGSEGV);
  if (std::strcmp(fault, "memory") == 0) take_all_memory();
  if (std::strcmp(fault, "throw") == 0) throw 42;
  if (std::strcmp(fault, "hang") == 0) {
    while (true) ::pause();
  }
  if (std::strcmp(fault, "chatter") == 0) {
    std::puts("Hello from inside.");
    std::fflush(stdout);
  }
}

template <typename Function>
Function next(const char* symbol) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, symbol));
}

}  // namespace

using Callback = int (*)(CbcModel*, int);
constexpr const char* kCbcMain = "_Z8CbcMain1iPPKcR8CbcModelPFiPS2_iER19CbcSolverUsefulData";

int CbcMain1(int count, const char* words[], CbcModel& model, Callback callback,
             CbcSolverUsefulData& data) {
  misbehave_in("cbc");
  using Function = int (*)(int, const char**, CbcModel&, Callback, CbcSolverUsefulData&);
  return next<Function>(kCbcMain)(count, words, model, callback, data);
}

namespace {

/// How many fork() lie between the program and this process. The process of a solve comes about
/// without it.
int generation = 0;

const int counted = ::pthread_atfork(nullptr, nullptr, [] { ++generation; });

bool in_child_of_a_child() {
  return counted == 0 && generation > 1;
}

}  // namespace

// ClpSimplex::dual(int, int), which the root loop and the nodes of branching on counts call, the
// nodes in children of a child.
constexpr const char* kClpDual = "_ZN10ClpSimplex4dualEii";
extern "C" int faulty_dual(void* simplex, int values_pass,
                           int start) __asm__("_ZN10ClpSimplex4dualEii");

extern "C" int faulty_dual(void* simplex, int values_pass, int start) {
  misbehave_in("clp");
  if (in_child_of_a_child()) misbehave_in("node");
  return next<int (*)(void*, int, int)>(kClpDual)(simplex, values_pass, start);
}
