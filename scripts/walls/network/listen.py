# Listens on many ports and says who came: LISTEN PORTS-ON-ALL PORTS-ON-LOOPBACK, each FIRST:COUNT.
import os, selectors, socket, sys
def span(text):
    first, count = map(int, text.split(":"))
    return range(first, first + count)
selector = selectors.DefaultSelector()
def add(kind, address, port):
    s = socket.socket(socket.AF_INET, kind); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((address, port)); s.setblocking(False)
    if kind == socket.SOCK_STREAM: s.listen(64)
    selector.register(s, selectors.EVENT_READ, kind)
for port in span(sys.argv[1]):
    add(socket.SOCK_STREAM, "0.0.0.0", port); add(socket.SOCK_DGRAM, "0.0.0.0", port)
for port in span(sys.argv[2]): add(socket.SOCK_STREAM, "127.0.0.1", port)
members = os.environ["SKYPILOT_NODE_IPS"].split()
own = members[int(os.environ["TESS_RANK"])]
print("listens at", own, flush=True)
while True:
    for key, _ in selector.select():
        try:
            if key.data == socket.SOCK_STREAM: peer = key.fileobj.accept()[1]
            else:
                said, peer = key.fileobj.recvfrom(64); key.fileobj.sendto(b"here", peer)
        except OSError: continue
        if peer[0] not in members and peer[0] != "127.0.0.1": print("stranger", peer[0], "on", key.fileobj.getsockname()[1], flush=True)
