import assert from "node:assert/strict";
import { it } from "node:test";
import { firstModel, modelsOf } from "./models.ts";

it("charts of a quota are of the model that is limited where no limit is of all models", () => {
  const of = (max: Record<string, number> | undefined) => ({
    ...{ guarantee: { A100: 4, "*": 2 }, used: { byModel: { L40S: 1 } } },
    ...(max && { max }),
  });
  assert.deepEqual(modelsOf([of({ H100: 24 }), of(undefined)]), ["A100", "H100", "L40S"]);
  assert.equal(firstModel([of({ H100: 24 })]), "H100");
  assert.equal(firstModel([of({ H100: 24, "*": 30 })]), undefined);
  assert.equal(firstModel([of(undefined)]), undefined);
  assert.equal(firstModel([of({ H100: 24 }), of({ H100: 8 })]), undefined, "of several accounts each has its own");
});
