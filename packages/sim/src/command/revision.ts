import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Which code gave a result: what git says of this checkout, else the version of the package. */
export function codeRevision(): string {
  const { stdout, status } = spawnSync("git", ["describe", "--always", "--dirty"], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  if (status === 0) return stdout.trim();
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return version;
}
