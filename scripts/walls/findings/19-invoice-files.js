import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../launch/root.js";
import { onInvoice, writeJson } from "../tampering/attacks.js";
import { writePast } from "../tampering/past.js";
import { live } from "../tampering.js";

export const checks = [
  {
    finding: 19,
    name: "an extract signed by another key, and another invoice's files",
    at: ({ name }) => name === "root/none" || name === "user/none",
    prove: forged,
  },
];

/** Hands the files to `tess invoice verify`, which remembers the key of its server. */
async function forged({ place, openServer }) {
  const server = await openServer({ place, prepare: writePast });
  try {
    await server.tess("whoami");
    const known = await live(server, place);
    await server.start();
    const own = await verify(server, { number: known.lab.number, ...known.lab.files }, known.lab.extract.head);
    if (own.code !== 0) return { held: false, seen: `its own files are refused: ${own.said}` };
    const taken = [];
    const write = writeJson(server.folder);
    for (const { name, does } of onInvoice) {
      const { code } = await verify(server, await does({ ...known, write }), known.lab.extract.head);
      if (code !== 1) taken.push(name);
    }
    const held = taken.length === 0;
    return { held, seen: held ? `${onInvoice.length} forgeries refused` : `taken: ${taken.join(", ")}` };
  } finally {
    await server.close();
  }
}

async function verify(server, { number, invoice, extract }, head) {
  const files = ["--invoice", invoice, "--extract", extract, "--head", head];
  const words = [join(root, "packages/cli/dist/main.js"), "--data", server.data, "invoice", "verify", number, ...files];
  const env = { PATH: process.env.PATH, HOME: server.folder };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, words, { env });
    return { code: 0, said: stdout };
  } catch (error) {
    return { code: error.code, said: `${error.stdout}${error.stderr}` };
  }
}
