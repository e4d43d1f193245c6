import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { test } from "node:test";
import { headText, keyText } from "@tessera/wire/history";
import type { Api } from "../http.ts";
import { temporaryFolder } from "../testing/folder.ts";
import { compareHeads } from "./check.ts";

interface Key {
  readonly id: string;
  readonly publicKey: string;
  readonly secret: KeyObject;
}

function newKey(): Key {
  const { publicKey: open, privateKey: secret } = generateKeyPairSync("ed25519");
  const der = open.export({ format: "der", type: "spki" });
  return { id: sha(der).toString("hex").slice(0, 16), publicKey: der.toString("base64"), secret };
}

function sha(...parts: readonly Uint8Array[]): Buffer {
  return createHash("sha256").update(Buffer.concat(parts)).digest();
}

const rowHash = (name: string) => sha(Buffer.from(name));
const leaf = (name: string) => sha(Uint8Array.of(5), rowHash(name));
const pair = (a: Buffer, b: Buffer) => sha(Uint8Array.of(6), a, b);

/** A server whose journal has the named rows, at most four. */
class Served {
  readonly keys: { publicKey: string; signature?: string }[];
  rows: string[] = [];
  asked: string[] = [];
  key: Key;
  readonly id: string;
  constructor(key: Key) {
    this.key = key;
    this.id = key.id;
    this.keys = [{ publicKey: key.publicKey }];
  }

  rotate(next: Key, signature = sign(null, Buffer.from(keyText(next.publicKey)), this.key.secret).toString("base64")) {
    this.keys.push({ publicKey: next.publicKey, signature });
    this.key = next;
  }

  root(count: number): Buffer {
    const [a, b, c, d] = this.rows.slice(0, count).map(leaf) as [Buffer, Buffer, Buffer, Buffer];
    if (count === 1) return a;
    if (count === 2) return pair(a, b);
    return pair(pair(a, b), count === 3 ? c : pair(c, d));
  }

  get line(): string {
    const row = this.rows.length;
    const hash = rowHash(this.rows.at(-1)!).toString("hex");
    const at = new Date(1_800_000_000_000).toISOString();
    const text = headText({
      server: this.id,
      row,
      hash,
      tree: this.root(row).toString("hex"),
      at,
      epoch: 1,
      key: this.key.id,
    });
    return `${text} sig=${sign(null, Buffer.from(text), this.key.secret).toString("base64")}`;
  }

  /** As much of the API as is asked here; proofs are from two rows to more, and from three to four. */
  api(): Api {
    const call = async (id: string, ask: { query: { from: number; to: number } }) => {
      this.asked.push(id);
      if (id === "getHead") return { line: this.line, publicKey: this.key.publicKey, keys: this.keys };
      const { from, to } = ask.query;
      const [a, b, c, d] = this.rows.slice(0, to).map(leaf) as [Buffer, Buffer, Buffer, Buffer];
      const path = from === 3 ? [c, d, pair(a, b)] : [to === 3 ? c : pair(c, d)];
      return { path: path.map((hash) => hash.toString("hex")) };
    };
    return { serverHead: this.line, call } as unknown as Api;
  }
}

const place = { name: "https://tessera.example", local: false };
const minute = 60_000;

test("a client believes a server at first, and then follows its history and its keys", async (t) => {
  const env = { XDG_STATE_HOME: temporaryFolder(t) };
  const served = new Served(newKey());
  const look = (now: number) => compareHeads({ env }, served.api(), place, now);
  served.rows = ["a", "b"];
  assert.equal(await look(0), undefined);
  assert.deepEqual(served.asked, ["getHead"]);
  served.rows.push("c");
  assert.equal(await look(1), undefined);
  assert.deepEqual(served.asked, ["getHead"], "what the answers carry is enough within a minute");
  served.rows.push("d");
  served.rotate(newKey());
  assert.equal(await look(minute * 2), undefined);
  assert.ok(served.asked.includes("proveConsistency"));
});

test("an answer that was on its way longer than another is no other history, even over a new key", async (t) => {
  const env = { XDG_STATE_HOME: temporaryFolder(t) };
  const served = new Served(newKey());
  served.rows = ["a", "b"];
  const late = served.line;
  served.rows.push("c");
  served.rotate(newKey());
  await compareHeads({ env }, served.api(), place, 0);
  const slow = { ...served.api(), serverHead: late } as Api;
  assert.equal(await compareHeads({ env }, slow, place, 1), undefined);
  served.rows = ["a", "b"];
  assert.match((await compareHeads({ env }, slow, place, 2)) ?? "", /it ends at row 2, and row 3 was there before/);
});

test("a client warns of another history, of one that went back, and of another key, with both heads", async (t) => {
  const attacks: readonly [RegExp, (served: Served) => void][] = [
    [/its rows up to 2 are not what they were/, (served) => (served.rows = ["a", "B", "c"])],
    [/row 2 is not what it was/, (served) => (served.rows = ["a", "B"])],
    [/it ends at row 1, and row 2 was there before/, (served) => (served.rows = ["a"])],
    [/signed by a key .* does not lead to/, (served) => served.rotate(newKey(), "AAAA")],
  ];
  for (const [expected, attack] of attacks) {
    const env = { XDG_STATE_HOME: temporaryFolder(t) };
    const served = new Served(newKey());
    served.rows = ["a", "b"];
    await compareHeads({ env }, served.api(), place, 0);
    const before = served.line;
    attack(served);
    const warning = await compareHeads({ env }, served.api(), place, minute * 2);
    assert.match(warning ?? "", expected);
    assert.ok(warning?.includes(before) && warning.includes(served.line));
    assert.match((await compareHeads({ env }, served.api(), place, minute * 4)) ?? "", expected, "and says so again");
  }
});

test("a client warns of another server at the same address, but not in a data folder that was made again", async (t) => {
  const env = { XDG_STATE_HOME: temporaryFolder(t) };
  const [one, other] = [new Served(newKey()), new Served(newKey())];
  one.rows = ["a", "b"];
  other.rows = ["x"];
  for (const local of [false, true]) {
    const there = { name: local ? "/data" : "https://t.example", local };
    await compareHeads({ env }, one.api(), there, 0);
    const warning = await compareHeads({ env }, other.api(), there, 1);
    if (local) assert.equal(warning, undefined);
    else assert.match(warning ?? "", /another server .* answers there/);
  }
  const silent = { call: () => assert.fail() } as unknown as Api;
  const warning = await compareHeads({ env }, silent, { name: "https://t.example", local: false }, 2);
  assert.match(warning ?? "", /showed signed heads of its history before, and shows none now/);
});
