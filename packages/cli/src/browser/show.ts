import { spawn } from "node:child_process";
import type { Session } from "../session.ts";

/** Shows an address in the browser of the person at this machine; false where there is none to be found. */
export async function showInBrowser(session: Session, url: string): Promise<boolean> {
  return session.terminal.stdout.isTTY && hasScreen(session) ? openBrowser(url) : false;
}

/** Whether a browser can be opened here, and may be. */
export function hasScreen({ terminal: { env }, options }: Session): boolean {
  if (options.browser === false) return false;
  return process.platform === "darwin" || env.DISPLAY !== undefined || env.WAYLAND_DISPLAY !== undefined;
}

export async function openBrowser(url: string): Promise<boolean> {
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  const child = spawn(program, [url], { detached: true, stdio: "ignore" });
  child.unref();
  return new Promise((resolve) => child.once("spawn", () => resolve(true)).once("error", () => resolve(false)));
}
