#include "cli/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>

namespace gem {
namespace {

// What `body` writes to stdout while stdout is `descriptor`, read from `reader`.
template <class Body>
std::string written_to(int descriptor, int reader, Body body) {
  std::fflush(stdout);
  const int saved = dup(STDOUT_FILENO);
  dup2(descriptor, STDOUT_FILENO);
  body();
  std::fflush(stdout);
  dup2(saved, STDOUT_FILENO);
  close(saved);
  // A terminal hands its bytes on in its own time, so the end is where nothing more comes.
  std::string text;
  pollfd ready{reader, POLLIN, 0};
  while (poll(&ready, 1, 300) > 0) {
    char buffer[4096];
    const ssize_t got = read(reader, buffer, sizeof buffer);
    if (got <= 0) break;
    text.append(buffer, static_cast<size_t>(got));
  }
  return text;
}

template <class Body>
std::string written_to_pipe(Body body) {
  int ends[2] = {-1, -1};
  EXPECT_EQ(pipe(ends), 0);
  std::string text = written_to(ends[1], ends[0], body);
  close(ends[0]);
  close(ends[1]);
  return text;
}

template <class Body>
std::string written_to_terminal(Body body) {
  const int leader = posix_openpt(O_RDWR | O_NOCTTY);
  EXPECT_GE(leader, 0);
  EXPECT_EQ(grantpt(leader), 0);
  EXPECT_EQ(unlockpt(leader), 0);
  const int follower = open(ptsname(leader), O_RDWR | O_NOCTTY);
  EXPECT_GE(follower, 0);
  termios raw{};
  tcgetattr(follower, &raw);
  raw.c_oflag &= ~static_cast<tcflag_t>(OPOST);  // newlines as written
  tcsetattr(follower, TCSANOW, &raw);
  std::string text = written_to(follower, leader, body);
  close(follower);
  close(leader);
  return text;
}

void write_answer() {
  AnswerWriter writer;
  writer.thought("let me see");
  writer.text("it is \x1b[31m blue");
  writer.finish();
}

TEST(AnswerWriter, ThoughtsStayOutOfPipes) {
  EXPECT_EQ(written_to_pipe(write_answer), "it is \x1b[31m blue\n");
}

TEST(AnswerWriter, ThoughtsAreDimmedAndControlBytesEscapedOnATerminal) {
  EXPECT_EQ(written_to_terminal(write_answer), "\x1b[2mlet me see\x1b[0m\nit is \\x1b[31m blue\n");
}

TEST(AnswerWriter, EndsTheLineOnce) {
  EXPECT_EQ(written_to_pipe([] {
              AnswerWriter writer;
              writer.text("a line\n");
              writer.finish();
            }),
            "a line\n");
}

TEST(AnswerWriter, StopsDimmingWhereTheAnswerEndsInAThought) {
  EXPECT_EQ(written_to_terminal([] {
              AnswerWriter writer;
              writer.thought("hm");
              writer.finish();
            }),
            "\x1b[2mhm\x1b[0m\n");
}

TEST(InterruptGuard, ASignalSetsTheFlagWhileItLives) {
  InterruptGuard guard;
  EXPECT_FALSE(guard.flag().load());
  std::raise(SIGINT);
  EXPECT_TRUE(guard.flag().load());
  guard.clear();
  EXPECT_FALSE(guard.flag().load());
  std::raise(SIGINT);
  EXPECT_TRUE(guard.flag().load());
}

TEST(InterruptGuardDeathTest, ASecondSignalEndsTheProcess) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      ::testing::ExitedWithCode(130), "");
}

}  // namespace
}  // namespace gem
