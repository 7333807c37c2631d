"""How many people one explorer holds: `python tools/load_explorer.py [CLIENTS] [SECONDS]`, by default 200 and 20.

A process serves alarm. Each client asks for one variable with two observed, and for the numbers of all others, as the page does
after a click; as soon as it has the answer it asks again, which people do not. The clients share the machine with the server.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
import sys
import time
from statistics import median, quantiles
from urllib.parse import urlsplit

NETWORK = "alarm"


def main() -> None:
    clients, seconds = [int(given or usual) for given, usual in itertools.zip_longest(sys.argv[1:3], (200, 20))]
    command = [sys.executable, "-m", "dconvex", "explore", NETWORK, "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as serving:
        try:
            assert serving.stdout is not None
            url = next(word for line in serving.stdout for word in line.split() if word.startswith("http://"))
            for count in (1, clients):
                taken = asyncio.run(asked(url, count, seconds))
                print(
                    f"{count:>4} clients for {seconds} s: {len(taken) / seconds:,.0f} answers a second, "
                    f"median {1000 * median(taken):,.1f} ms, 99 % within {1000 * quantiles(taken, n=100)[-1]:,.1f} ms"
                )
        finally:
            serving.terminate()


async def asked(url: str, clients: int, seconds: int) -> list[float]:
    """The seconds that each answer took."""
    end = time.monotonic() + seconds
    of_clients = await asyncio.gather(*(client(url, number, end) for number in range(clients)))
    return [taken for own in of_clients for taken in own]


async def client(url: str, number: int, end: float) -> list[float]:
    """Ask one question after the other on one connection."""
    where = urlsplit(url)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    taken = []
    for turn in itertools.count(number):
        began = time.monotonic()
        if began >= end:
            break
        writer.write(request(where.netloc, turn))
        status = await reader.readline()
        assert b" 200 " in status, status
        length = 0
        while (line := await reader.readline()) != b"\r\n":
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        await reader.readexactly(length)
        taken.append(time.monotonic() - began)
    writer.close()
    return taken


def request(host: str, turn: int) -> bytes:
    """A question that differs from turn to turn."""
    target, *observed = ((turn * step + step) % 37 for step in (1, 5, 11))
    evidence = [[index, [0]] for index in dict.fromkeys(observed) if index != target]
    body = json.dumps({"asked": [target], "evidence": evidence, "shown": list(range(37))}).encode()
    head = f"POST /api/answer HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


if __name__ == "__main__":
    main()
