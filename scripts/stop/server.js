import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { root } from "../launch/root.js";
import { giveTo } from "./places.js";

const startMsMax = 60_000;
const python = new URL("./python/", import.meta.url).pathname;

/** A real server at a place, its command line, and the folder with the scripts of its jobs. */
export async function openServer(place) {
  // Not below /tmp, which a job has for itself.
  const folder = mkdtempSync("/var/tmp/tess-stop-");
  chmodSync(folder, 0o755);
  const [work, data] = [join(folder, "work"), join(folder, "data")];
  for (const each of [work, data]) mkdirSync(each, { mode: 0o755 });
  for (const file of readdirSync(python)) copyFileSync(join(python, file), join(work, file));
  giveTo(place, data);
  const program = join(root, "packages/server/dist/main.js");
  const words = [process.execPath, program, "--data", data, "--port", "0", "--virtual", "2x16:H100"];
  const [command, ...rest] = place.command(words);
  const child = spawn(command, rest, { stdio: ["ignore", "ignore", "pipe"] });
  await untilReady(child);
  const { url } = JSON.parse(readFileSync(join(data, "endpoint.json"), "utf8"));
  const token = readFileSync(join(data, "owner.token"), "utf8").trim();
  const cli = join(root, "packages/cli/dist/main.js");

  const tess = async (...args) => {
    const all = [cli, "--data", data, "-y", ...args];
    return (await promisify(execFile)(process.execPath, all, { cwd: work })).stdout;
  };

  return {
    work,
    /** Runs the real command line and gives what it printed. */
    tess,
    /** Writes a file for the command line and gives its path. */
    file(name, content) {
      const path = join(folder, `${name}.json`);
      writeFileSync(path, JSON.stringify(content));
      return path;
    },
    /** Asks the API, for what is asked again and again. An answer with one of the statuses `none` is empty. */
    async get(path, none = []) {
      const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
      const text = await answer.text();
      if (none.includes(answer.status)) return "";
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
      return text;
    },
    /** Jobs outlive the server by design, so they are cancelled before it goes. */
    async close() {
      const left = (await tess("ps", "-A", "-o", "name")).split("\n").filter(Boolean);
      if (left.length > 0) await tess("cancel", ...left).then(() => tess("wait", ...left).catch(() => {}));
      child.kill("SIGTERM");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function untilReady(child) {
  let said = "";
  await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`the server was not ready in time: ${said}`)), startMsMax);
    createInterface({ input: child.stderr }).on("line", (line) => {
      said = `${said}${line}\n`.slice(-10_000);
      if (!line.includes("ready at")) return;
      clearTimeout(late);
      resolve();
    });
    child.once("error", reject);
    child.once("exit", (code, signal) => reject(new Error(`the server ended (${code ?? signal}): ${said}`)));
  });
}

/** Waits until `look` gives something, at most so long. */
export async function until(what, msMax, look) {
  const startedAt = performance.now();
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() - startedAt > msMax) throw new Error(`never came true: ${what}`);
    await sleep(100);
  }
}
