import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "../launch/root.js";

const server = join(root, "packages/server/dist/main.js");
const tess = join(root, "packages/cli/dist/main.js");
const isRoot = process.getuid() === 0;
/** People of no other program: one runs the server, the other types commands. */
const operator = 61_001;
const person = 61_002;

/** Who runs the server, who types, and how open the folder is in which it is typed. */
const all = isRoot
  ? [
      { name: "server as root, home of mode 0700", person, homeMode: 0o700 },
      { name: "server as another user, home of mode 0700", operator, person, homeMode: 0o700 },
      { name: "server as root", homeMode: 0o755 },
      { name: "server as another user", operator, person, homeMode: 0o755 },
    ]
  : [
      { name: "server and person are one user, home of mode 0700", homeMode: 0o700 },
      { name: "server and person are one user", homeMode: 0o755 },
    ];

/** Other users run the programs of this clone, so each folder above them must let them through. */
const isOpen = [process.execPath, server].every((path) => {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder))
    if ((statSync(folder).mode & 0o001) === 0) return false;
  return true;
});
const isPossible = ({ operator: server, person: types }) => isOpen || (server === undefined && types === undefined);
export const ways = all.filter(isPossible);
/** What cannot be tried here. */
export const leftOut = all.filter((way) => !isPossible(way)).map(({ name }) => name);

const train = `import sys
from weights import make
with open("model.bin", "wb") as file:
    file.write(make(open("seed.bin", "rb").read()))
print("trained by", sys.version.split()[0])
`;
const weights = "def make(seed):\n    return bytes(reversed(seed)) * 3\n";

/**
 * Does what a newcomer does, with real programs: a folder outside the clone whose train.py imports a module beside it;
 * `tess run`, then the very command that it prints at its end. Answers what came of it.
 */
export async function walk(way) {
  const top = mkdtempSync(join(tmpdir(), "tessera-first-run-"));
  chmodSync(top, 0o755);
  const [home, data] = [join(top, "home"), join(top, "data")];
  const project = join(home, "project");
  const seed = randomBytes(400_000);
  for (const folder of [home, project]) mkdirSync(folder);
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(join(project, "train.py"), train);
  writeFileSync(join(project, "weights.py"), weights);
  writeFileSync(join(project, "seed.bin"), seed);
  for (const path of [home, project, ...["train.py", "weights.py", "seed.bin"].map((name) => join(project, name))])
    if (way.person !== undefined) chownSync(path, way.person, way.person);
  if (way.operator !== undefined) chownSync(data, way.operator, way.operator);
  chmodSync(home, way.homeMode);
  const plane = await startServer(data, way.operator);
  try {
    const token = join(home, "token");
    writeFileSync(token, readFileSync(join(data, "owner.token")), { mode: 0o600 });
    if (way.person !== undefined) chownSync(token, way.person, way.person);
    const type = (words) => run([tess, ...words], project, home, way.person);
    await type(["login", plane.url, "--token-file", token]);
    const ran = await type(["run", "--gpus", "1", "--", "python3", "train.py"]);
    const [, ...fetch] = /(tess) (cp) (\S+) (\.)/.exec(ran.err)?.slice(1) ?? [];
    const fetched = fetch.length === 0 ? undefined : await type(fetch);
    const wanted = Buffer.concat(Array(3).fill(Buffer.from(seed).reverse()));
    const got = fetched?.code === 0 ? readFileSync(join(project, "model.bin")) : Buffer.alloc(0);
    return {
      way: way.name,
      ran: ran.code,
      command: fetch.join(" "),
      same: got.equals(wanted),
      said: ran.err + (fetched?.err ?? ""),
    };
  } finally {
    await plane.stop();
    rmSync(top, { recursive: true, force: true });
  }
}

async function startServer(data, user) {
  const words = ["--data", data, "--port", "0", "--virtual", "1x2:H100", "--free-space-min", "1"];
  const child = spawn(process.execPath, [server, ...words], {
    cwd: "/",
    ...as(user),
    stdio: ["ignore", "ignore", "pipe"],
  });
  const said = [];
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      said.push(line);
      const [, address] = /ready at (\S+)/.exec(line) ?? [];
      if (address !== undefined) resolve(address);
    });
    child.once("exit", () => reject(new Error(`the server did not start:\n${said.join("\n")}`)));
  });
  const stop = async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  };
  return { url, stop };
}

function run(words, cwd, home, user) {
  const options = { cwd, env: { PATH: process.env.PATH, HOME: home }, ...as(user) };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, words, options, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

function as(user) {
  return user === undefined ? {} : { uid: user, gid: user };
}
