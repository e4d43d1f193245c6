# Tries every tcp:ADDRESS:PORT and udp:ADDRESS:PORT of standard input and prints those that answered, then how many were tried.
import asyncio, socket, sys
async def tcp(address, port):
    _, writer = await asyncio.open_connection(address, port)
    writer.close()
async def udp(address, port):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setblocking(False)
    try:
        s.connect((address, port)); s.send(b"hello")
        await asyncio.get_running_loop().sock_recv(s, 64)
    finally: s.close()
async def attempt(target, gate):
    kind, address, port = target.split(":")
    async with gate:
        try:
            await asyncio.wait_for((tcp if kind == "tcp" else udp)(address, int(port)), 0.5)
            print("reached", target)
        except (OSError, asyncio.TimeoutError): pass
async def main():
    targets = sys.stdin.read().split(); gate = asyncio.Semaphore(400)
    await asyncio.gather(*(attempt(target, gate) for target in targets))
    print("tried", len(targets))
asyncio.run(main())
