import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { saysNoWall } from "../network/no-wall.js";

/** Takes the server's port as soon as it can and says what it is sent. */
const squatter = (port) => `exec python3 -c '
import socket, time
while True:
    try: s = socket.create_server(("127.0.0.1", ${port})); break
    except OSError: time.sleep(0.02)
print("has it", flush=True)
while True:
    c = s.accept()[0]; print("SENT", c.recv(4096), flush=True); c.close()
'`;

export const checks = [
  {
    finding: 2,
    name: "a job takes the server's port while it is away",
    at: ({ root }) => root,
    async prove({ place, openServer }) {
      const server = await openServer({ place });
      try {
        const port = Number(new URL(server.url).port);
        await server.tess("account", "create", "thief");
        const words = ["--name", "squatter", "--account", "thief", "--workdir", "none"];
        await server.tess("run", "-d", ...words, "--", squatter(port));
        await sleep(3_000);
        await server.kill();
        await sleep(1_000);
        const answers = await isAnswered(port);
        await server.tess("ps").catch(() => {});
        await server.start({ port });
        const log = await server.tess("logs", "squatter");
        const sent = log.match(/SENT.*/g) ?? [];
        const held = !answers && sent.length === 0 && /has it/.test(log);
        return {
          held,
          seen: `port ${port} ${answers ? "was answered by the job" : "stayed free"}; the job was sent ${sent.length} requests`,
        };
      } finally {
        await server.close();
      }
    },
  },
  { finding: 2, name: "without a wall it is said", at: ({ root }) => !root, prove: saysNoWall },
];

async function isAnswered(port) {
  const socket = connect({ host: "127.0.0.1", port });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
