import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A server with a fleet that is not there, and the CLI as another person has it. */
export async function startTessera(root) {
  const folder = mkdtempSync(join(tmpdir(), "tessera-oidc-"));
  const data = join(folder, "data");
  const args = ["bin/run.js", "packages/server/dist/main.js", "--data", data, "--port", "0"];
  const server = spawn("node", [...args, "--free-space-min", "1", "--simulated", "1x8:H100"], {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  server.stderr.on("data", (chunk) => {
    said += chunk;
  });
  let url;
  for (let i = 0; url === undefined; i++) {
    if (i > 600 || server.exitCode !== null) throw new Error(`the server did not start:\n${said}`);
    await sleep(100);
    url = /ready at (\S+) after/.exec(said)?.[1];
  }
  const token = readFileSync(join(data, "owner.token"), "utf8").trim();
  const post = async (path, body, headers = {}, method = "POST") => {
    const sent = { "content-type": "application/json", ...headers };
    const answer = await fetch(`${url}${path}`, { method, headers: sent, body: JSON.stringify(body) });
    const text = await answer.text();
    return { status: answer.status, cookies: answer.headers.getSetCookie(), json: text === "" ? {} : JSON.parse(text) };
  };
  return {
    url,
    ownerToken: token,
    post,
    /** As the platform owner. */
    put: (path, body) => post(path, body, { authorization: `Bearer ${token}` }, "PUT"),
    folder,
    /** `tess` of a person who has never used this server; answers what it prints, as it comes. */
    tess(...words) {
      const env = { ...process.env, XDG_CONFIG_HOME: join(folder, "config"), TESSERA_ROOT: join(folder, "nowhere") };
      return this.run(env, words);
    },
    /** `tess` of the platform owner. */
    owner(...words) {
      return this.run({ ...process.env, XDG_CONFIG_HOME: join(folder, "none"), TESSERA_DATA: data }, words);
    },
    run(env, words) {
      const program = [join(root, "packages/cli/dist/main.js"), ...words];
      const child = spawn(join(root, "node_modules/.bin/node"), program, { cwd: folder, env });
      const run = { text: "", done: new Promise((done) => child.on("close", done)) };
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk) => {
          run.text += chunk;
        });
      return run;
    },
    async close() {
      server.kill("SIGTERM");
      await new Promise((done) => server.once("close", done));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
