import { ContentStore } from "@tessera/content";
import { serveKeeper } from "@tessera/engine/files";
import { framesOf } from "@tessera/engine/framed";

/** Keeps what a supervisor that runs as root sends, as the owner of the content. Ends with its input. */
const [folder = "", tenant = ""] = process.argv.slice(2);
await serveKeeper(new ContentStore(folder).of(tenant), framesOf(process.stdin), process.stdout);
