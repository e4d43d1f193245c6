import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Signature } from "../../../packages/server/dist/access/signature.js";
import { RowTree } from "../../../packages/server/dist/journal/tree.js";
import { headText } from "../../../packages/wire/dist/index.js";

const payment = "entry-posted";
const dearer = (text) => text.replace(/"micros":"?(-?)5000000/g, '"micros":"$15000001');

/** What a thief does to a stolen store, and what `tess-verify journal` must say about it. */
export const onStore = [
  {
    name: "edit",
    does: (store) => store.edit(store.rowWith(payment), changed),
    says: /row \d+: edited: its events are not those/,
  },
  { name: "delete", does: (store) => store.delete(store.rowWith(payment)), says: /row \d+: deleted/ },
  {
    name: "truncate",
    does: (store) => store.delete(store.rowWith(payment), 1e9),
    says: /truncated, .*journal ends at row \d+, but row \d+ was anchored/,
  },
  {
    name: "reorder",
    does: (store) => store.swap(store.rowWith(payment), store.rowWith(payment) - 1),
    says: /row \d+: reordered: it holds what was sealed as row \d+/,
  },
  {
    name: "full reseal",
    does(store) {
      store.edit(store.rowWith(payment), changed);
      store.reseal();
    },
    says: /rewritten: .* not what was anchored .* sealed again/,
  },
  {
    name: "full reseal, with the signing key",
    does(store) {
      store.edit(store.rowWith(payment), changed);
      store.reseal();
      return signedHead(store);
    },
    says: /rewritten: .* not what was anchored/,
  },
  {
    name: "swapped private row",
    does: (store) =>
      store.run("UPDATE private SET value = ?, digest = NULL WHERE kind = 'password'", Buffer.from("$argon2id$forged")),
    says: /private row password usr_\w+: swapped; row \d+ covers another value/,
  },
  {
    name: "inserted private row",
    does: (store) =>
      store.run(
        "INSERT INTO private (kind, key, value) VALUES ('password', 'usr_thief', ?)",
        Buffer.from("$argon2id$"),
      ),
    says: /private row password usr_thief: inserted/,
  },
  {
    name: "removed private row",
    does: (store) => store.run("DELETE FROM private WHERE kind = 'person'"),
    says: /private row person usr_\w+: removed/,
  },
];

/** The amount of a payment, whatever else its event holds. */
function changed(text) {
  const done = dearer(text);
  return done === text ? text.replace("5000000", "5000001") : done;
}

/** The head that somebody with the signing key makes of a resealed journal. */
async function signedHead(store) {
  const signature = new Signature(
    Buffer.from(readFileSync(join(store.folder, "keys", "signing.key"), "utf8"), "base64"),
  );
  const tree = new RowTree();
  const rows = store.rows();
  for (const { hash } of rows) tree.add(hash);
  const hex = (bytes) => Buffer.from(bytes).toString("hex");
  const { keyId: key } = signature;
  const [row, at] = [rows.length, new Date().toISOString()];
  const text = headText({ server: key, row, hash: hex(rows.at(-1).hash), tree: hex(tree.root()), at, epoch: 1, key });
  return `${text} sig=${await signature.of(text)}`;
}

/** Changed files of an invoice, and what `tess-verify invoice` must say about them. */
export const onInvoice = [
  {
    name: "invoice of another number",
    does: ({ lab, ops }) => ({ number: lab.number, ...ops.files }),
    says: /these are the files of INV-\S+, not of INV-\S+/,
  },
  {
    name: "extract renamed to another number",
    does: ({ lab, ops, write }) => ({
      number: lab.number,
      ...ops.files,
      extract: write({ ...ops.extract, invoice: lab.number }),
    }),
    says: /the signature of the extract is wrong/,
  },
  {
    name: "extract signed by another key",
    async does({ lab, write }) {
      const thief = new Signature(randomBytes(32));
      const { signature, publicKey, ...signed } = lab.extract;
      const forged = { ...signed, keys: [{ publicKey: thief.publicKey }] };
      const extract = { ...forged, signature: await thief.of(JSON.stringify(forged)), publicKey: thief.publicKey };
      return { number: lab.number, ...lab.files, extract: write(extract) };
    },
    says: /the extract is signed by another key/,
  },
  {
    name: "changed invoice",
    does: ({ lab, write }) => ({
      number: lab.number,
      ...lab.files,
      invoice: write({ text: lab.invoice.text.replace(/"totalMicros":"\d/, '"totalMicros":"9') }),
    }),
    says: /the journal holds another invoice/,
  },
];

export function writeJson(folder) {
  let count = 0;
  return (value) => {
    const file = join(folder, `changed-${++count}.json`);
    writeFileSync(file, JSON.stringify(value));
    return file;
  };
}
