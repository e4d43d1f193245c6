import { ContentStore, type SentKeys, takenKeys } from "@tessera/content";
import { serveKeeper } from "@tessera/engine/files";
import { framesOf } from "@tessera/engine/framed";
import { keysVariable } from "./keeper.ts";

/** Keeps what a supervisor that runs as root sends, as the owner of the content. Ends with its input. */
const [folder = "", tenant = ""] = process.argv.slice(2);
const sent = process.env[keysVariable];
const keys = sent === undefined ? undefined : takenKeys(JSON.parse(sent) as SentKeys);
await serveKeeper(
  new ContentStore(folder, 0, keys && (async () => keys.content)).of(tenant),
  framesOf(process.stdin),
  process.stdout,
);
