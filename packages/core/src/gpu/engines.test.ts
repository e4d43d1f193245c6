import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { enginesOf } from "./engines.ts";

it("large training GPUs can neither encode video nor trace rays; smaller models can", () => {
  assert.deepEqual(enginesOf("H100-80GB"), { encoders: 0, decoders: 7, rayTracing: false, nvlink: true });
  assert.deepEqual(enginesOf("L4-24GB"), { encoders: 2, decoders: 4, rayTracing: true, nvlink: false });
  assert.equal(enginesOf("RTX-PRO-6000-Blackwell-Server-Edition")?.encoders, 4);
  assert.equal(enginesOf("L400"), undefined);
});

const path = fileURLToPath(new URL("../../../../../shared/facts/gpu-models.json", import.meta.url));
const skip = existsSync(path) ? false : "the published catalogue is not beside this clone";

it("the table of engines agrees with the published catalogue", { skip }, () => {
  const { models } = JSON.parse(readFileSync(path, "utf8")) as { models: Published[] };
  const listed = models.filter(({ media }) => media !== undefined);
  assert.ok(listed.length > 10);
  for (const { key, media, nvlink } of listed) {
    const engines = enginesOf(key);
    assert.deepEqual([engines?.encoders, engines?.decoders], [media?.nvenc, media?.nvdec], key);
    assert.equal(engines?.nvlink, nvlink != null, key);
  }
});

interface Published {
  key: string;
  media?: { nvenc: number; nvdec: number };
  nvlink?: object | null;
}
