import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../launch/root.js";
import { onStore } from "../tampering/attacks.js";
import { writePast } from "../tampering/past.js";
import { StolenStore } from "../tampering/store.js";
import { adminVerify } from "../tampering/verify.js";
import { journal, live } from "../tampering.js";

const somewhere = ({ name }) => name === "root/none" || name === "user/none";

export const checks = [
  { finding: 11, name: "a payment rewritten and every row sealed again", at: somewhere, prove: rewritten },
  { finding: 11, name: "a client that remembers the head", at: somewhere, prove: remembered },
];

/** Rewrites a payment in the store itself, and lets what guards it beside the store go. */
function rewrite(server) {
  const store = StolenStore.of(server.data);
  onStore.find(({ name }) => name === "full reseal").does(store);
  store.close();
  for (const file of ["store/store.head", "journal.tree"]) rmSync(join(server.data, file), { force: true });
}

async function rewritten({ place, openServer }) {
  const server = await openServer({ place, prepare: writePast });
  try {
    const known = await live(server, place);
    rewrite(server);
    const outside = await journal(server.data, known);
    const own = await adminVerify(server.data);
    const held = outside.code === 1 && /rewritten: rows/.test(outside.said) && own.code === 1;
    return { held, seen: outside.said.trim().slice(0, 200) };
  } finally {
    await server.close();
  }
}

async function remembered({ place, openServer }) {
  const server = await openServer({ place, prepare: writePast });
  try {
    await live(server, place);
    await server.start();
    await warningOf(server);
    await server.stop();
    rewrite(server);
    await server.start();
    const warned = await warningOf(server);
    const held = /history of .* was changed/.test(warned) && (warned.match(/tessera-head\/1/g) ?? []).length === 2;
    return { held, seen: held ? warned.split("\n")[0] : `no warning: ${warned}` };
  } finally {
    await server.close();
  }
}

/** What `tess` says beside its answer. */
async function warningOf(server) {
  const words = [join(root, "packages/cli/dist/main.js"), "--data", server.data, "whoami"];
  const env = { PATH: process.env.PATH, HOME: server.folder };
  return (await promisify(execFile)(process.execPath, words, { env })).stderr;
}
