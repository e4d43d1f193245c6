import { spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "../../launch/root.js";

const cli = join(root, "packages/cli/dist/main.js");

/** Runs the command line as the owner with something on its standard input. */
export async function tessWithInput(server, input, words) {
  const all = [cli, "--data", server.data, "--token-file", server.file("token-owner", server.owner), "-y", ...words];
  const env = { PATH: process.env.PATH, HOME: server.folder };
  const child = spawn(process.execPath, all, { cwd: server.work, env, stdio: ["pipe", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part) => {
      output += part;
    });
  child.stdin.on("error", () => {}); // it ended early, and says why
  child.stdin.end(input);
  const code = await new Promise((resolve) => child.once("close", resolve));
  return { code, output };
}
