import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LeaseId } from "@tessera/core";
import { Leaving } from "./leaving.ts";
import { MemberRecord } from "./record.ts";
import { Turns } from "./turns.ts";

function record(): MemberRecord {
  const pod = { metadata: { name: "p", namespace: "n", uid: "u" }, spec: { containers: [] } };
  return new MemberRecord("job_1.0.0" as LeaseId, pod);
}

describe("pods whose end is acknowledged", () => {
  it("are let go once, however slow the cluster is", async () => {
    const turns = new Turns();
    const answers: (() => void)[] = [];
    const forget = () => new Promise<void>((resolve) => answers.push(resolve));
    const leaving = new Leaving({ forget }, turns);
    const acknowledged = turns.run("job_1.0.0" as LeaseId, () => leaving.letGo(record()));
    await new Promise(setImmediate);
    for (let look = 0; look < 3; look++) leaving.look();
    for (const answer of answers) answer();
    await acknowledged;
    await turns.settled();
    assert.equal(answers.length, 1);
    assert.equal(leaving.has("job_1.0.0" as LeaseId), false);
  });

  it("are tried again where the cluster did not take it", async () => {
    const turns = new Turns();
    let calls = 0;
    const leaving = new Leaving({ forget: async () => void (++calls < 2 && assert.fail("away")) }, turns);
    leaving.add(record());
    for (let look = 0; look < 3; look++) {
      leaving.look();
      await turns.settled();
      await new Promise(setImmediate);
    }
    assert.equal(calls, 2);
    assert.equal(leaving.has("job_1.0.0" as LeaseId), false);
  });
});
