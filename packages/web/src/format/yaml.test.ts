import assert from "node:assert/strict";
import { it } from "node:test";
import { writeYaml } from "./yaml.ts";

it("the lines of a script stay as they were written, however long they are", () => {
  const long = `python3 train.py ${"--flag=value ".repeat(12)}--last`;
  assert.equal(
    writeYaml({ run: `set -e\n${long}\necho done\n`, gpus: 1 }),
    `run: |\n  set -e\n  ${long}\n  echo done\ngpus: 1\n`,
  );
  assert.equal(writeYaml({ run: long }), `run: ${long}\n`);
});
