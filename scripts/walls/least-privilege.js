import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../launch/root.js";
import { until } from "../places/server.js";

/** Some user without an entry in the list of users. */
const user = 61_234;
const secret = "canary-of-a-secret-7f2b";
const written = "canary-in-a-work-folder-91c4";
const program = (name) => join(root, "packages", name);

/**
 * A control plane without privileges beside its root helper: a job gets its secret and its results come back, and then every
 * file that the control plane's user can read is searched for keys, the secret and the job's work folder.
 */
export async function proveLeastPrivilege({ say }) {
  const folder = mkdtempSync("/var/tmp/tess-helper-");
  chmodSync(folder, 0o755);
  const [data, state, socket] = ["data", "state", "helper.sock"].map((name) => join(folder, name));
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, user, user);
  const started = [];
  const start = async (words, options, sign) => {
    const child = spawn(process.execPath, words, { cwd: "/", stdio: ["ignore", "ignore", "pipe"], ...options });
    started.push(child);
    let said = "";
    child.stderr.on("data", (part) => {
      said += part;
    });
    await until(`${words[0]} is ready`, 60_000, () => {
      if (child.exitCode !== null) throw new Error(`it ended: ${said}`);
      return said.includes(sign);
    });
    return child;
  };
  const helperWords = [program("server/dist/helper.js"), "--user", String(user), "--data", data, "--state", state];
  const startHelper = () => start([...helperWords, "--socket", socket, "--virtual", "1x2:H100"], {}, "ready at");
  const tess = async (...words) => {
    const options = { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } };
    const all = [program("cli/dist/main.js"), "--data", data, ...words];
    return (await promisify(execFile)(process.execPath, all, options)).stdout;
  };
  try {
    const helper = await startHelper();
    const serverWords = [program("server/dist/main.js"), "--data", data, "--helper", socket, "--port", "0"];
    await start([...serverWords, "--free-space-min", "1"], { uid: user, gid: user }, "ready at");
    writeFileSync(join(folder, "value"), secret, { mode: 0o600 });
    await tess("secret", "set", "TOKEN", "--from-file", join(folder, "value"));
    rmSync(join(folder, "value"));
    // The command is in the journal, so it names neither of the two.
    const [head, tail] = [written.slice(0, 10), written.slice(10)];
    const run = `a=${head}; echo $a${tail} > work.txt; printf %s "$TOKEN" | wc -c; echo result > "$TESS_OUT/r"; sleep 600`;
    const spec = { name: "worker", gpus: 1, secrets: ["TOKEN"], run };
    writeFileSync(join(folder, "job.json"), JSON.stringify(spec));
    await tess("run", "-d", join(folder, "job.json"));
    await until("the job has its secret", 60_000, async () =>
      (await tess("logs", "worker")).includes(String(secret.length)),
    );
    const seen = readAs(user, [data, state, socket, `/proc/${helper.pid}`]);
    const leaks = seen.filter(({ text }) => text.includes(secret) || text.includes(written));
    const keys = readdirSync(join(state, "keys")).filter((name) =>
      seen.some(({ path }) => path === join(state, "keys", name)),
    );
    say(
      `as the control plane's user: ${seen.length} files can be read, ${leaks.length} of them leak, ${keys.length} keys`,
    );
    helper.kill("SIGKILL");
    await once(helper, "exit");
    await startHelper();
    await tess("cancel", "worker");
    await tess("wait", "worker").catch(() => {});
    const [job] = JSON.parse(await tess("ps", "-a", "-o", "json")).items;
    return {
      held: leaks.length === 0 && keys.length === 0 && seen.length > 0 && job.outcome === "cancelled",
      readable: seen.length,
      leaks: leaks.map(({ path }) => path),
      keys,
      afterKillOfHelper: job.outcome,
    };
  } finally {
    for (const child of started.reverse())
      if (child.exitCode === null && child.kill("SIGTERM")) await once(child, "exit");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Every file below these places that the user can read, with its text; as that user, by a process of its own. */
function readAs(uid, places) {
  const script = `
    const { readdirSync, readFileSync, statSync } = require("node:fs");
    const found = [];
    const look = (path, depth) => {
      try {
        if (statSync(path).isDirectory()) { if (depth < 12) for (const name of readdirSync(path)) look(path + "/" + name, depth + 1); }
        else if (statSync(path).isFile()) found.push({ path, text: readFileSync(path, "latin1").slice(0, 4_000_000) });
      } catch {}
    };
    for (const place of ${JSON.stringify(places)}) look(place, 0);
    process.stdout.write(JSON.stringify(found));`;
  const options = { uid, gid: uid, cwd: "/", maxBuffer: 2 ** 29, encoding: "utf8" };
  return JSON.parse(execFileSync(process.execPath, ["-e", script], options));
}
