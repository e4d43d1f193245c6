import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { minute } from "@tessera/core";
import { readEngineFile } from "./start-file.ts";

describe("the file of engines", () => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-engines-"));
  after(() => rmSync(folder, { recursive: true }));
  const read = (text: string) => {
    const file = join(folder, "engines.yaml");
    writeFileSync(file, text);
    return readEngineFile(file);
  };

  it("lists engines with what each kind needs", () => {
    writeFileSync(join(folder, "east.conf"), "users: [{name: u, user: {client-key: key.pem, token: t}}]\n");
    const engines = read(`
- {name: east, kind: kubernetes, kubeconfig: east.conf, settings: {rackLabel: example.com/rack}, lost_after: 30m}
- {name: here, kind: kubernetes, in-cluster: true}
- {name: play, kind: simulated, settings: {fleet: "1x8:H100"}}
`);
    assert.deepEqual(
      engines.map(({ name, kind, lostAfterMs }) => [name, kind, lostAfterMs]),
      [
        ["east", "kubernetes", 30 * minute],
        ["here", "kubernetes", 0],
        ["play", "simulated", 0],
      ],
    );
    assert.deepEqual(engines[0]?.settings, { rackLabel: "example.com/rack" });
    assert.match(engines[0]?.credentials ?? "", new RegExp(`client-key: ${join(folder, "key.pem")}`));
    assert.deepEqual(
      engines.map(({ credentials }) => credentials === ""),
      [false, true, false],
    );
  });

  it("says where it is wrong and what to write", () => {
    const wrong: readonly (readonly [text: string, says: RegExp])[] = [
      ["name: east", /write a list of engines/],
      ["- east", /engine 1: write a table/],
      ["- {name: East, kind: simulated}", /name: write at most 40 letters/],
      ["- {name: local, kind: simulated}", /local is this machine/],
      ["- {name: a, kind: slurm}", /kind: write kubernetes or simulated/],
      ["- {name: a, kind: kubernetes}", /write either kubeconfig: FILE or in-cluster: true/],
      ["- {name: a, kind: kubernetes, kubeconfig: x, in-cluster: true}", /write either/],
      ["- {name: a, kind: kubernetes, kubeconfig: none.conf}", /none.conf cannot be read/],
      ["- {name: a, kind: simulated, lost_after: soon}", /lost_after soon: write a duration/],
      ["- {name: a, kind: simulated, colour: red}", /colour is not a field; the fields are name, kind/],
      ["- {name: a, kind: simulated}\n- {name: a, kind: simulated}", /two engines named a/],
      ["- {", /neither YAML nor JSON/],
    ];
    for (const [text, says] of wrong) assert.throws(() => read(text), says, text);
  });
});
