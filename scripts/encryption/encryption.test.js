import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { Load } from "./load.js";
import { search } from "./search.js";
import { canaries, inJournal, Stand } from "./stand.js";

const shownIn = (folder) => {
  const { found } = search([folder]);
  return Object.keys(found)
    .filter((name) => found[name].length > 0)
    .sort();
};

test("the search finds a canary as it is, compressed, in base64 at any place and in hexadecimal digits", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-search-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  assert.deepEqual(shownIn(folder), []);
  const text = (before) => Buffer.from(`${"x".repeat(before)}${canaries.log} and more`);
  const forms = [text(1), gzipSync(text(1)), Buffer.from(text(1).toString("hex"))];
  for (const before of [0, 1, 2, 3]) forms.push(Buffer.from(text(before).toString("base64")));
  for (const [i, form] of forms.entries()) {
    writeFileSync(join(folder, "file"), form);
    assert.deepEqual(shownIn(folder), ["log"], `form ${i}`);
  }
});

test("a stolen folder shows no secret, log, code or output, and no command once its journal is encrypted", async (t) => {
  const stand = new Stand();
  t.after(() => stand.close());
  const load = new Load(stand);
  await stand.start();
  await load.setSecret();
  await load.submit();
  assert.deepEqual(await load.faults(), []);
  await stand.end("SIGTERM");
  assert.deepEqual(shownIn(stand.data), [...inJournal].sort());
  await stand.admin(["journal", "encrypt"]);
  assert.deepEqual(shownIn(stand.data), []);
  assert.equal((await stand.admin(["verify"])).sound, true);
});
