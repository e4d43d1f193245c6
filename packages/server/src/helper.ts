import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openLocalEngine } from "@tessera/engine-local";
import { serveEngine } from "@tessera/engine-remote";
import { helperKeys } from "./helper-keys.ts";

const usage = `tess helper: does for a control plane without privileges what needs root: jobs as other users, limits, devices, networks

  --user NAME       the user that the control plane runs as; only it may connect
  --data DIR        the data folder of that control plane, which jobs must not see
  --state DIR       folder of work folders, logs and keys, for root alone (default /var/lib/tessera-helper)
  --socket FILE     where the control plane finds it (default /run/tessera/helper.sock)
  --master-key FILE the key that wraps the data keys (default keys/master.key in the folder of --state)
  --checks DIR      further checks of GPUs: scripts, and thresholds.json
  --virtual SPEC    present this machine as nodes of virtual GPUs, such as 4x8:H100
  --dcgm URL        the DCGM exporter of this machine, which is asked what its GPUs do: http://127.0.0.1:9400/metrics

The control plane is then started with: tess server --helper FILE

Example: tess helper --user tessera --data /var/lib/tessera`;

const say = (text: string): void => console.error(`tessera helper: ${text}`);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      user: { type: "string" },
      data: { type: "string" },
      state: { type: "string", default: "/var/lib/tessera-helper" },
      socket: { type: "string", default: "/run/tessera/helper.sock" },
      virtual: { type: "string" },
      checks: { type: "string" },
      dcgm: { type: "string" },
      "master-key": { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return console.log(usage);
  if (process.getuid?.() !== 0) throw new Error("it needs root: it runs jobs as other users and sets their limits");
  const user = userOf(values.user);
  if (values.data === undefined || !existsSync(values.data))
    throw new Error("--data: give the data folder of the control plane; it must be there, and belong to its user");
  const [data, state, socket] = [realpathSync(values.data), resolve(values.state), resolve(values.socket)];
  mkdirSync(state, { recursive: true, mode: 0o700 });
  mkdirSync(dirname(socket), { recursive: true, mode: 0o755 });
  const content = join(data, "content");
  // As that user: what root makes in a folder of another can be led elsewhere by a link.
  if (!existsSync(content)) execFileSync("mkdir", ["-m", "700", content], { uid: user });
  const { calls, withSecrets, engineKeys: keys } = helperKeys(state, values["master-key"]);
  const engine = await openLocalEngine({
    keys,
    ...{ dir: join(state, "engine"), content, hide: [data, state] },
    ...(values.virtual !== undefined && { virtual: values.virtual }),
    ...(values.checks !== undefined && { checks: resolve(values.checks) }),
    ...(values.dcgm !== undefined && { dcgm: values.dcgm }),
  });
  const served = await serveEngine({ engine, socket, user, prepare: withSecrets, extras: calls });
  say(`ready at ${socket} for user ${user}`);
  const close = async (): Promise<void> => {
    await served.close();
    await engine.close();
    process.exit(0); // jobs go on, and the next helper takes them over
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void close());
}

function userOf(name: string | undefined): number {
  if (name === undefined) throw new Error("--user: give the user that the control plane runs as");
  if (/^\d+$/.test(name)) return Number(name);
  try {
    return Number(execFileSync("id", ["-u", "--", name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  } catch {
    throw new Error(`--user ${name}: there is no such user`);
  }
}

main().catch((error: Error) => {
  say(error.message);
  process.exit(1);
});
