import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ContentStore, type JobKeys, sentKeys } from "@tessera/content";
import { type Keeper, KeeperOver } from "@tessera/engine/files";
import { framesOf } from "@tessera/engine/framed";

const program = fileURLToPath(new URL("./keeper-main.js", import.meta.url));

/** Where the keeper finds the keys. */
export const keysVariable = "TESSERA_CONTENT_KEYS";

/**
 * Lets `use` put results into the content of a tenant. Content that belongs to another user, as that of a control plane
 * without privileges does, is written by a process of that user: root would follow links that were laid there.
 */
export async function withKeeper<Result>(
  contentFolder: string,
  tenant: string,
  keys: JobKeys | undefined,
  use: (keeper: Keeper) => Promise<Result>,
): Promise<Result> {
  const owner = statSync(contentFolder, { throwIfNoEntry: false });
  if (process.getuid?.() !== 0 || owner === undefined || owner.uid === 0)
    return use(new ContentStore(contentFolder, 0, keys && (async () => keys.content)).of(tenant));
  const { uid, gid } = owner;
  const child = spawn(process.execPath, ["--max-old-space-size=128", program, contentFolder, tenant], {
    // Only that user can read it, who may have these keys; the arguments everyone could read.
    ...{ uid, gid, cwd: "/", env: keys === undefined ? {} : { [keysVariable]: JSON.stringify(sentKeys(keys)) } },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.on("error", () => {}); // seen as an end without an answer
  child.stdin.on("error", () => {});
  try {
    return await use(new KeeperOver(child.stdin, framesOf(child.stdout)));
  } finally {
    child.stdin.end();
  }
}
