import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cacheFolder } from "../config/paths.ts";
import type { Api } from "../http.ts";
import type { Session } from "../session.ts";

/** Says, the first time that someone asks this server for GPUs, that they are virtual, where they are. */
export async function tellOfVirtual(session: Session, api: Api, write: (text: string) => void): Promise<void> {
  if (session.silent) return;
  const mark = createHash("sha256").update(api.server).digest("hex").slice(0, 16);
  const told = join(cacheFolder(session.terminal.env), `${mark}-virtual`);
  if (existsSync(told)) return;
  const page = await api.call("listNodes", { query: { limit: 1 } }).catch(() => undefined);
  if (page?.items[0]?.virtual !== true) return;
  write(
    "The GPUs of this server are virtual: they are counted and scheduled like real ones, but there is no device and no\n" +
      "nvidia-smi. The processes are real. (This is said once.)",
  );
  try {
    mkdirSync(dirname(told), { recursive: true, mode: 0o700 });
    writeFileSync(told, "");
  } catch {
    // It is said again next time.
  }
}
