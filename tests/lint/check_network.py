#!/usr/bin/env python3
"""Nothing leaves the machine: only the server, src/server/, talks to a network, and it only listens.

No other source opens a socket, resolves a name or uses a client library.
"""
from collections.abc import Iterator

import forbidden_calls
import house

FUNCTIONS = {"socket", "socketpair", "connect", "getaddrinfo", "gethostby*", "res_query", "curl_*"}
HEADERS = {"sys/socket.h", "netdb.h", "netinet/", "arpa/", "resolv.h", "curl/", "boost/asio", "boost/beast"}
ALLOWED = {"src/server/": "the one module with a network in it"}
INSTEAD = "only src/server/ may use the network"


def check(tree: house.Tree) -> Iterator[str]:
    yield from forbidden_calls.calls(tree, FUNCTIONS, HEADERS, ALLOWED, INSTEAD)


def source(text: str, finds: str, name: str = "src/engine/x.cc") -> house.Sample:
    return house.Sample({name: text}, finds)


SAMPLES = [
    source("int connected(int sockets);\nauto s = signal.connect(slot);\n// socket(1)\n", ""),
    source("int s = socket(AF_INET, SOCK_STREAM, 0);\n", "", "src/server/listen.cc"),
    source("int s = ::socket(AF_INET, SOCK_STREAM, 0);\n", "src/engine/x.cc:1: socket"),
    source("connect(s, a, n);\n", "connect"),
    source("getaddrinfo(a, b, c, d);\n", "getaddrinfo"),
    source("auto* h = curl_easy_init();\n", "curl_easy_init"),
    source("#include <boost/asio/ip/tcp.hpp>\n", "boost/asio"),
    source("#include <netinet/in.h>\n", "netinet/in.h"),
]

if __name__ == "__main__":
    house.main(__doc__, check, SAMPLES)
