import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../launch/root.js";

/** Runs a program of ours as anybody would; its exit status and what it printed. */
async function run(program, words) {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(root, program), ...words]);
    return { code: 0, said: `${stdout}${stderr}` };
  } catch (error) {
    return { code: error.code, said: `${error.stdout}${error.stderr}` };
  }
}

export const tessVerify = (...words) => run("packages/verifier/dist/main.js", words);
export const adminVerify = (data, ...words) =>
  run("packages/server/dist/admin.js", ["verify", "--data", data, ...words]);
