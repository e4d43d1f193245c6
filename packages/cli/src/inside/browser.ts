import { spawn } from "node:child_process";
import type { Session } from "../session.ts";

/** Shows an address in the browser of the person at this machine; false where there is none to be found. */
export async function showInBrowser({ terminal: { env, stdout } }: Session, url: string): Promise<boolean> {
  if (!stdout.isTTY) return false;
  const screen = process.platform === "darwin" || env.DISPLAY !== undefined || env.WAYLAND_DISPLAY !== undefined;
  if (!screen) return false;
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  const child = spawn(program, [url], { detached: true, stdio: "ignore" });
  child.unref();
  return new Promise((resolve) => child.once("spawn", () => resolve(true)).once("error", () => resolve(false)));
}
