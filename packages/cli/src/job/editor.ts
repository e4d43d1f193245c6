import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exit } from "../exit.ts";
import { Failure } from "../failure.ts";
import type { Session } from "../session.ts";

/** Lets the user change a text in the editor of $VISUAL or $EDITOR, in a file that nobody else can read. */
export async function editText({ terminal }: Session, text: string): Promise<string> {
  const editor = terminal.env.VISUAL || terminal.env.EDITOR || "vi";
  const folder = await mkdtemp(join(tmpdir(), "tess-"));
  const file = join(folder, "job.yaml");
  try {
    await writeFile(file, text, { mode: 0o600 });
    // The variable may hold options, as in EDITOR="code --wait".
    const code = await new Promise<number | null>((resolve, reject) => {
      const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
      child.once("error", reject).once("exit", resolve);
    });
    if (code === 0) return await readFile(file, "utf8");
    throw new Failure(exit.interrupted, {
      code: "declined",
      message: `${editor} ended with ${code ?? "a signal"}: nothing was changed`,
      hint: "set EDITOR to an editor that is installed, or use --set KEY=VALUE",
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
