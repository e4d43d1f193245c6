import assert from "node:assert/strict";
import { it } from "node:test";
import { isRefusal } from "../journal/refusal.ts";
import { mountSource, parseMounts } from "./mounts.ts";

it("reads where volumes and outputs are mounted, by plain paths", () => {
  assert.deepEqual(parseMounts({ "/in/": "job:train.2/model", "//data/./sets": "vol:data" }), {
    "/data/sets": "vol:data",
    "/in": "job:train.2/model",
  });
  assert.equal(parseMounts({}), undefined);
  assert.deepEqual(mountSource("job:train/out"), { job: "train", output: "out" });
  assert.deepEqual(mountSource("vol:data"), { volume: "data", readOnly: false });
  assert.deepEqual(mountSource("vol:lab/vision/data:ro"), { volume: "data", of: "lab/vision", readOnly: true });
  assert.deepEqual(mountSource("pvc:sets-1"), { claim: "sets-1", readOnly: false });
  assert.deepEqual(mountSource("pvc:sets-1:ro"), { claim: "sets-1", readOnly: true });
});

it("refuses a mount over anything that the system needs, over another, or of something else", () => {
  const wrong: readonly [at: string, source: string, said: RegExp][] = [
    ["/", "vol:data", /absolute path/],
    ["data", "vol:data", /absolute path/],
    ["/data/../etc", "vol:data", /absolute path/],
    ["/proc/1", "vol:data", /the system needs/],
    ["/dev/shm", "vol:data", /the system needs/],
    ["/run/tessera/work", "vol:data", /the system needs/],
    ["//usr//bin", "vol:data", /the system needs/],
    ["/tmp/x", "vol:data", /the system needs/],
    ["/data", "/srv/data", /neither a volume, an output nor a claim/],
    ["/data", "vol:../x", /neither/],
    ["/data", "vol:lab/../x", /neither/],
    ["/data", "vol:lab//x", /neither/],
    ["/data", "vol:x:rw", /neither/],
    ["/data", "job:train", /neither/],
    ["/data", "pvc:Sets", /neither/],
    ["/data", "pvc:sets:rw", /neither/],
  ];
  for (const [at, source, said] of wrong) {
    const refused = parseMounts({ [at]: source });
    assert.ok(isRefusal(refused), at);
    assert.match(refused.detail, said, at);
  }
  const nested = parseMounts({ "/data": "vol:a", "/data/b": "vol:b" });
  assert.ok(isRefusal(nested));
  assert.match(nested.detail, /overlaps the mount at \/data/);
});
