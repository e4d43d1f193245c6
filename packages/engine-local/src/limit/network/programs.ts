import { spawn } from "node:child_process";
import { standardPath } from "../../supervise/job.ts";

const scriptMsMax = 20_000;

/** Runs a script of ours to its end and gives what it printed. Throws with what it complained about. */
export function runScript(script: string, words: readonly string[] = []): Promise<string> {
  const child = spawn("/bin/sh", ["-e", "-s", "--", ...words], {
    cwd: "/",
    env: { PATH: standardPath },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const impatience = setTimeout(() => child.kill("SIGKILL"), scriptMsMax).unref();
  const output: Buffer[] = [];
  const complaints: Buffer[] = [];
  child.stdout.on("data", (part: Buffer) => output.push(part));
  child.stderr.on("data", (part: Buffer) => complaints.push(part));
  child.stdin.on("error", () => {}); // it ended early, and says why
  child.stdin.end(script);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(impatience);
      if (code === 0) return resolve(Buffer.concat(output).toString("utf8"));
      reject(new Error(Buffer.concat(complaints).toString("utf8").trim().slice(-500) || `a script ended with ${code}`));
    });
  });
}

/** Whether a script of ours ends well; what it says does not matter. */
export async function succeeds(script: string): Promise<boolean> {
  return runScript(script).then(
    () => true,
    () => false,
  );
}
