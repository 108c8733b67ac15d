#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/text.h"

namespace gem {
namespace {

// What the SIGBUS handler may look at: plain data, written before the mapping is used and read
// without locks. A full table only costs the friendly line.
struct Guard {
  std::atomic<uintptr_t> begin{0};
  std::atomic<uintptr_t> end{0};
  std::array<char, 512> path{};
};
std::array<Guard, 16> guards;
std::mutex guards_mutex;
struct sigaction previous_action;

void write_stderr(const char* text) {
  // Nothing can be done about a failed write here.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  for (const Guard& guard : guards) {
    if (address >= guard.begin.load() && address < guard.end.load()) {
      write_stderr("gem: ");
      write_stderr(guard.path.data());
      write_stderr(
          ": the file was cut or overwritten while gem was using it; restore it and restart\n");
      ::_exit(code_info(Code::kIo).exit_code);
    }
  }
  // Not ours: give it back to whoever had it, by default a core dump.
  if ((previous_action.sa_flags & SA_SIGINFO) != 0 && previous_action.sa_sigaction != nullptr) {
    previous_action.sa_sigaction(signal, info, context);
    return;
  }
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void install_handler() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &previous_action);
  });
}

int add_guard(std::span<const std::byte> bytes, const std::string& path) {
  install_handler();
  const std::scoped_lock lock(guards_mutex);
  for (size_t slot = 0; slot < guards.size(); ++slot) {
    Guard& guard = guards[slot];
    if (guard.begin.load() != 0) continue;
    const size_t length = std::min(path.size(), guard.path.size() - 1);
    for (size_t i = 0; i < length; ++i) {
      const char c = path[i];
      guard.path[i] = static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
    guard.path[length] = '\0';
    const auto begin = reinterpret_cast<uintptr_t>(bytes.data());
    guard.end.store(begin + bytes.size());
    guard.begin.store(begin);
    return static_cast<int>(slot);
  }
  return -1;
}

void remove_guard(int slot) {
  if (slot < 0) return;
  const std::scoped_lock lock(guards_mutex);
  guards[static_cast<size_t>(slot)].begin.store(0);
  guards[static_cast<size_t>(slot)].end.store(0);
}

std::string quoted(const std::string& path) { return quote_for_message(path, kMaxPathBytes); }

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  MappedFile file;
  file.path_ = path;
  // O_NONBLOCK: opening a pipe must not wait for its other end.
  file.descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file.descriptor_ < 0) {
    if (errno == ENOENT || errno == ENOTDIR)
      return fail(Code::kNotFound, "{}: no such file", quoted(path));
    return fail(Code::kIo, "{}: cannot open: {}", quoted(path), std::strerror(errno));
  }
  struct stat info = {};
  if (::fstat(file.descriptor_, &info) != 0) {
    return fail(Code::kIo, "{}: cannot stat: {}", quoted(path), std::strerror(errno));
  }
  if (S_ISDIR(info.st_mode))
    return fail(Code::kInvalid, "{}: is a directory, not a file", quoted(path));
  if (!S_ISREG(info.st_mode))
    return fail(Code::kInvalid, "{}: is not a regular file", quoted(path));
#if defined(__APPLE__)
  const timespec& modified = info.st_mtimespec;
#else
  const timespec& modified = info.st_mtim;
#endif
  file.stamp_ = {static_cast<uint64_t>(info.st_size), modified.tv_sec, modified.tv_nsec};
  if (info.st_size == 0) return file;

  void* address = ::mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_SHARED,
                         file.descriptor_, 0);
  if (address == MAP_FAILED)
    return fail(Code::kIo, "{}: cannot map: {}", quoted(path), std::strerror(errno));
  file.bytes_ = {static_cast<const std::byte*>(address), static_cast<size_t>(info.st_size)};
  file.guard_slot_ = add_guard(file.bytes_, path);
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      bytes_(std::exchange(other.bytes_, {})),
      stamp_(other.stamp_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      guard_slot_(std::exchange(other.guard_slot_, -1)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    release();
    path_ = std::move(other.path_);
    bytes_ = std::exchange(other.bytes_, {});
    stamp_ = other.stamp_;
    descriptor_ = std::exchange(other.descriptor_, -1);
    guard_slot_ = std::exchange(other.guard_slot_, -1);
  }
  return *this;
}

MappedFile::~MappedFile() { release(); }

void MappedFile::release() {
  remove_guard(std::exchange(guard_slot_, -1));
  if (!bytes_.empty()) {
    ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    bytes_ = {};
  }
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

Status MappedFile::verify_unchanged() const {
  struct stat info = {};
  if (::fstat(descriptor_, &info) != 0) {
    return fail(Code::kIo, "{}: cannot stat: {}", quoted(path_), std::strerror(errno));
  }
#if defined(__APPLE__)
  const timespec& modified = info.st_mtimespec;
#else
  const timespec& modified = info.st_mtim;
#endif
  const Stamp now{static_cast<uint64_t>(info.st_size), modified.tv_sec, modified.tv_nsec};
  if (now == stamp_) return {};
  return fail(
      Code::kIo,
      "{}: the file was changed while gem was using it ({} bytes then, {} now); restart gem",
      quoted(path_), stamp_.size_bytes, now.size_bytes);
}

}  // namespace gem
