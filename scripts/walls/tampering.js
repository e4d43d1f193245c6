import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { giveTo } from "../places/places.js";
import { until } from "../places/server.js";
import { admin, personWithPassword } from "./backups.js";
import { onInvoice, onStore, writeJson } from "./tampering/attacks.js";
import { writePast } from "./tampering/past.js";
import { StolenStore } from "./tampering/store.js";
import { adminVerify, tessVerify } from "./tampering/verify.js";

/**
 * Changes the history of a real server in every way that its operator could, and asks `tess-verify`, which holds only
 * what an auditor has: the public key, an anchor, and the store or the files of an invoice.
 */
export async function proveTampering({ openServer, place, say }) {
  const server = await openServer({ place, prepare: writePast });
  try {
    const known = await live(server, place);
    const results = [await untouched(server, known)];
    for (const attack of onStore) results.push(await attacked(server, known, attack));
    for (const attack of onInvoice) results.push(await forged(server, known, attack));
    results.push(await restored(server, place, known));
    for (const { name, named, said } of results) say(`${named ? "named " : "MISSED"} ${name}: ${said}`);
    const missed = results.filter(({ named }) => !named);
    return {
      held: missed.length === 0,
      seen:
        missed.length === 0
          ? `${results.length - 1} ways to tamper, each named by tess-verify`
          : missed.map(({ name, said }) => `${name}: ${said}`).join("; "),
      results,
    };
  } finally {
    await server.close();
  }
}

/** A server that has lived: people, a payment, invoices, an anchor on another mount; then it is stopped. */
export async function live(server, place) {
  const heads = join(server.folder, "heads");
  mkdirSync(heads);
  giveTo(place, heads);
  await personWithPassword(server, "ada", "correct horse battery staple");
  await must(server, "POST", "/v1/anchors", { kind: "folder", to: heads });
  const early = join(server.data, "early.backup");
  const { code, said } = await admin({ place, data: server.data }, "backup", early);
  if (code !== 0) throw new Error(`no backup: ${said}`);
  await must(server, "POST", "/v1/ledger", { account: "lab", kind: "payment", micros: "5000000", memo: "October" });
  await must(server, "POST", "/v1/periods/close", { period: "2026-10" });
  const head = await must(server, "GET", "/v1/journal/head");
  const anchor = join(heads, `${head.server}.heads`);
  await until("the head is anchored", 20_000, () => newestRow(anchor) >= head.row);
  const since = newestRow(anchor);
  const [lab, ops] = await Promise.all(["lab", "ops"].map((tenant) => invoiceOf(server, tenant, since)));
  await server.stop();
  return { key: head.publicKey, anchor, early, lab, ops, heads };
}

export async function must(server, method, path, body) {
  const { status, text, json } = await server.api(method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
  return json;
}

function newestRow(anchor) {
  try {
    const line = readFileSync(anchor, "utf8").trim().split("\n").at(-1);
    return Number(/ row=(\d+) /.exec(line)[1]);
  } catch {
    return 0; // not written yet
  }
}

async function invoiceOf(server, tenant, since) {
  const invoice = await must(server, "GET", `/v1/accounts/${tenant}/invoices/2026-10`);
  const extract = await must(server, "GET", `/v1/accounts/${tenant}/invoices/2026-10/extract?since=${since}`);
  const files = {
    invoice: join(server.folder, `${tenant}.json`),
    extract: join(server.folder, `${tenant}-extract.json`),
  };
  writeFileSync(files.invoice, JSON.stringify(invoice));
  writeFileSync(files.extract, JSON.stringify(extract));
  return { number: invoice.number, invoice, extract, files };
}

export const journal = (folder, { key, anchor }) => tessVerify("journal", folder, "--key", key, "--anchor", anchor);
const invoice = ({ number, invoice, extract }, { key, anchor }) =>
  tessVerify("invoice", number, "--invoice", invoice, "--extract", extract, "--key", key, "--anchor", anchor);

async function untouched(server, known) {
  const whole = await journal(server.data, known);
  const lab = await invoice({ number: known.lab.number, ...known.lab.files }, known);
  const own = await adminVerify(server.data);
  const named = whole.code === 0 && lab.code === 0 && own.code === 0;
  return {
    name: "untouched",
    named,
    said: named ? "sound" : oneLine([whole, lab, own].map(({ said }) => said).join(" ")),
  };
}

async function attacked(server, known, { name, does, says }) {
  const store = new StolenStore(server.data, join(server.folder, "stolen"));
  let forgedHead;
  try {
    forgedHead = await does(store);
  } finally {
    store.close();
  }
  const { code, said } = await journal(store.folder, known);
  // A head that the thief signed as well says nothing against what was anchored before.
  const both =
    typeof forgedHead === "string"
      ? await tessVerify("journal", store.folder, "--key", known.key, "--anchor", known.anchor, "--head", forgedHead)
      : { code };
  const named = code === 1 && says.test(said) && both.code === 1;
  rmSync(store.folder, { recursive: true });
  return { name, named, said: oneLine(said) };
}

async function forged(server, known, { name, does, says }) {
  const write = writeJson(server.folder);
  const { code, said } = await invoice(await does({ ...known, write }), known);
  return { name, named: code === 1 && says.test(said), said: oneLine(said) };
}

/** The owner restores a backup from before the payment: honest, and named all the same. */
async function restored(server, place, known) {
  const folder = join(server.folder, "restored");
  mkdirSync(folder, { mode: 0o700 });
  giveTo(place, folder);
  const key = join(server.data, "keys", "backup.key");
  const { code, said } = await admin({ place, data: folder }, "restore", known.early, "--key-file", key);
  if (code !== 0) return { name: "restored old backup", named: false, said: oneLine(said) };
  const found = await journal(folder, known);
  const names = /(truncated, or an old backup was restored|rewritten): .*restored from a backup/s;
  return { name: "restored old backup", named: found.code === 1 && names.test(found.said), said: oneLine(found.said) };
}

function oneLine(said) {
  return said.trim().replace(/\s+/g, " ").slice(0, 300);
}
