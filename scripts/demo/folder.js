import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { Failure } from "../launch/failure.js";

/** By this file a folder is known to be a demo's own, hence free to be wiped. */
const mark = "made-by-the-demo";

/** An empty data folder for the demo's server, with `desk` in it: where its users sit. Wipes what an earlier demo left. */
export async function makeFolder(data) {
  if (existsSync(data) && readdirSync(data).length > 0) {
    if (!existsSync(join(data, mark))) {
      throw new Failure(`${data} is not empty, and no demo made it`, {
        advice: "Name an empty folder, or one that a demo left behind: --data DIR",
      });
    }
    await checkStopped(data);
    rmSync(data, { recursive: true });
  }
  const desk = join(data, "desk");
  mkdirSync(desk, { recursive: true, mode: 0o700 });
  writeFileSync(join(data, mark), "npm run demo wipes this folder when it starts.\n");
  // The nearest .tess.yaml counts: one of the user's own, further up, must not change what the demo does.
  writeFileSync(join(desk, ".tess.yaml"), "{}\n");
  return { data, desk, shown: relative(process.cwd(), data).startsWith("..") ? data : relative(process.cwd(), data) };
}

async function checkStopped(data) {
  const endpoint = join(data, "endpoint.json");
  if (!existsSync(endpoint)) return;
  const { url, pid } = JSON.parse(readFileSync(endpoint, "utf8"));
  const answers = await fetch(new URL("/healthz", url)).then(
    () => true,
    () => false, // no server is there: an earlier demo was killed
  );
  if (!answers) return;
  throw new Failure(`a demo is still going on in ${data} (its server is process ${pid})`, {
    advice: `Wait until it has ended, or stop it: kill ${pid}`,
  });
}
