import { setTimeout as sleep } from "node:timers/promises";
import { tryMatrix } from "../network/matrix.js";
import { saysNoWall } from "../network/no-wall.js";

const asRoot = ({ root }) => root;

/** Listens on thousands of ports at once and says who connects. */
const lurker = `exec python3 -c '
import selectors, socket
selector = selectors.DefaultSelector(); taken = 0
for port in range(20000, 40000, 5):
    s = socket.socket()
    try: s.bind(("0.0.0.0", port)); s.listen(8); selector.register(s, selectors.EVENT_READ); taken += 1
    except OSError: s.close()
print("lurks on", taken, flush=True)
while True:
    for key, _ in selector.select(): print("CAUGHT", key.fileobj.accept()[0].recv(64), flush=True)
'`;

/** Rank 1 comes first, as it often does, and tells whoever answers. */
const gang = `exec python3 -c '
import os, socket, time
at = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
if os.environ["RANK"] == "0":
    time.sleep(2); s = socket.create_server(("", at[1])); print("MET", s.accept()[0].recv(64), flush=True)
else:
    for _ in range(200):
        try: c = socket.create_connection(at, 1); break
        except OSError: time.sleep(0.05)
    c.sendall(b"weights of the victim"); c.recv(1)
'`;

export const checks = [
  {
    finding: 4,
    name: "a job listens on thousands of ports where another's gang may meet",
    at: asRoot,
    async prove({ place, openServer }) {
      const server = await openServer({ place });
      try {
        for (const account of ["thief", "victim"]) await server.tess("account", "create", account);
        await server.tess("run", "-d", "--name", "lurker", "--account", "thief", "--workdir", "none", "--", lurker);
        await until(async () => /lurks on/.test(await server.tess("logs", "lurker").catch(() => "")));
        const job = { name: "gang", project: "victim", nodes: 2, run: gang, max_time: "60s" };
        await server.tess("run", "-d", server.file("gang.json", job));
        await server.tess("wait", "gang").catch(() => {});
        const met = /MET .*/.exec(await server.tess("logs", "gang", "--rank", "0"))?.[0] ?? "never met";
        const caught = (await server.tess("logs", "lurker")).match(/CAUGHT.*/g) ?? [];
        const held = caught.length === 0 && met.includes("weights");
        return { held, seen: `${caught.length} connections caught; the gang: ${met}` };
      } finally {
        await server.close();
      }
    },
  },
  {
    finding: 4,
    name: "job x job x port matrix",
    at: asRoot,
    async prove({ place, openServer }) {
      const server = await openServer({ place });
      try {
        const { cells, strangers, met, members } = await tryMatrix(server);
        const tried = cells.reduce((sum, cell) => sum + cell.tried, 0);
        const across = cells.flatMap((cell) => cell.across);
        const gangs = cells.filter(({ member }) => member.gang.length > 1);
        const own = gangs.reduce((sum, cell) => sum + cell.own, 0);
        const wanted = gangs.length * 40;
        const held = across.length === 0 && strangers.length === 0 && met === 0 && own === wanted && tried > 0;
        const first = across[0] === undefined ? "" : `, such as ${across[0]}`;
        const seen = `${members.length} members tried ${tried} targets: ${across.length} connections across jobs${first}, ${met} to the machine; gangs met on ${own} of ${wanted} ports`;
        return { held, seen };
      } finally {
        await server.close();
      }
    },
  },
  { finding: 4, name: "without a wall it is said", at: ({ root }) => !root, prove: saysNoWall },
];

async function until(isSo) {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await isSo()) return;
    await sleep(200);
  }
  throw new Error("it did not happen in time");
}
