import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { root } from "../launch/root.js";
import { giveTo } from "./places.js";

const startMsMax = 60_000;
const program = join(root, "packages/server/dist/main.js");
const cli = join(root, "packages/cli/dist/main.js");

/**
 * A real server at a place, with folders of its own and its command line. `args` are further words for the server,
 * `env` further variables of its environment; `prepare` fills the data folder before the first start.
 */
export async function openServer({ place, args = ["--virtual", "2x4:H100"], env = {}, name = "tess", prepare }) {
  // Not in a temporary folder, which a job has for itself.
  const folder = mkdtempSync(join(process.getuid() === 0 ? "/srv" : homedir(), `${name}-`));
  chmodSync(folder, 0o755);
  const [work, data] = [join(folder, "work"), join(folder, "data")];
  for (const each of [work, data]) mkdirSync(each, { mode: 0o755 });
  await prepare?.(data);
  giveTo(place, data);
  const server = placedServer({ place, folder, work, data, args, env });
  await server.start();
  return server;
}

function placedServer({ place, folder, work, data, args, env }) {
  let child;
  let said = "";
  const owner = () => readFileSync(join(data, "owner.token"), "utf8").trim();
  const url = () => JSON.parse(readFileSync(join(data, "endpoint.json"), "utf8")).url;

  const file = (name, content) => {
    const path = join(folder, name);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content), { mode: 0o600 });
    return path;
  };
  const tessAs = async (token, ...words) => {
    const tokenFile = file(`token-${token.slice(-8)}`, token);
    const all = [cli, "--data", data, "--token-file", tokenFile, "-y", ...words];
    const options = { cwd: work, env: { PATH: process.env.PATH, HOME: folder }, maxBuffer: 2 ** 28 };
    return (await promisify(execFile)(process.execPath, all, options)).stdout;
  };
  const tess = (...words) => tessAs(owner(), ...words);
  const end = async (signal) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };

  return {
    folder,
    work,
    data,
    get pid() {
      return child.pid;
    },
    get url() {
      return url();
    },
    /** The token of the platform owner. */
    get owner() {
      return owner();
    },
    /** What the server printed, newest last. */
    get said() {
      return said;
    },
    /** Starts it, again after `stop` or `kill`; port 0 is any free one. */
    async start({ port = 0 } = {}) {
      const words = [process.execPath, program, "--data", data, "--port", String(port), "--free-space-min", "1"];
      const [command, ...rest] = place.command([...words, ...args]);
      child = spawn(command, rest, { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, ...env } });
      await untilReady(child, (line) => {
        said = `${said}${line}\n`.slice(-10_000);
      });
    },
    /** Runs the real command line as the owner, or with another token, and gives what it printed. */
    tess,
    tessAs,
    /** Makes a user with one role and gives their token. */
    async person(name, role, account) {
      await tess("user", "create", name, "--role", role, ...(account ? ["--account", account] : []));
      const out = join(folder, `${name}.token`);
      await tess("token", "create", "--user", name, "--label", "proof", "--out", out);
      return readFileSync(out, "utf8").trim();
    },
    /** Writes a file for the command line and gives its path. */
    file,
    /** Asks the API: the status, the headers, and the body as text and, where it is that, as JSON. */
    async api(method, path, body, token = owner(), headers = {}) {
      const isText = typeof body === "string";
      const answer = await fetch(`${url()}${path}`, {
        method,
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && !isText && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, text, json: parsed(text) };
    },
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
    /** Jobs outlive the server by design, so they are cancelled before it goes. */
    async close() {
      try {
        const left = (await tess("ps", "-A", "-o", "name")).split("\n").filter(Boolean);
        if (left.length > 0) await tess("cancel", ...left).then(() => tess("wait", ...left).catch(() => {}));
      } catch {} // an attack may have ended it; what is left of its jobs cannot be reached then
      await end("SIGTERM");
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function untilReady(child, onLine) {
  let said = "";
  await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`the server was not ready in time: ${said}`)), startMsMax);
    createInterface({ input: child.stderr }).on("line", (line) => {
      said = `${said}${line}\n`.slice(-10_000);
      onLine(line);
      if (!line.includes("ready at")) return;
      clearTimeout(late);
      resolve();
    });
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      clearTimeout(late);
      reject(new Error(`the server ended (${code ?? signal}): ${said}`));
    });
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
