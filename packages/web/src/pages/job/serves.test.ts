import assert from "node:assert/strict";
import { it } from "node:test";
import { servesPage } from "./serves.ts";

it("a page is offered to be opened only where a running job has one", () => {
  const running = { state: "running", type: "batch", spec: { run: "python3 train.py" } } as const;
  assert.equal(servesPage(running), false);
  assert.equal(servesPage({ ...running, type: "notebook" }), true);
  assert.equal(servesPage({ ...running, type: "service" }), true);
  assert.equal(servesPage({ ...running, spec: { run: "tensorboard --port $TESS_PORT & python3 train.py" } }), true);
  assert.equal(servesPage({ ...running, type: "notebook", state: "waiting" }), false);
});
