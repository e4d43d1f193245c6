import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isToBlame } from "./blame.ts";
import { parseServerLog, serverPidIn } from "./log.ts";

const log = `[2026-11-16 18:00:00.000 Control 90] NEW CLIENT 401 from user 200001: Server already exists
[2026-11-16 18:00:00.001 Server 100] Received new client request
[2026-11-16 18:00:00.002 Server 100] Status of client {401, 1} is ACTIVE
[2026-11-16 18:00:00.900 Server 100] New client 402 connected
[2026-11-16 18:00:01.000 Server 100] Client {402, 1} encountered a fatal GPU error.
[2026-11-16 18:00:01.001 Server 100] Server is handling a fatal GPU error.
[2026-11-16 18:00:01.002 Server 100] Client 401 disconnected
`;

describe("the log of an MPS server", () => {
  it("names its clients, and the one that caused a fault", () => {
    assert.deepEqual(parseServerLog(log), [
      { kind: "client", pid: 401 },
      { kind: "client", pid: 402 },
      { kind: "fault", pid: 402 },
      { kind: "fault" },
    ]);
    assert.equal(serverPidIn(log), 100);
  });

  it("of a control daemon or of something else says nothing", () => {
    assert.deepEqual(parseServerLog("fatal GPU error\n[x Control 1] client 4 fatal GPU error\n"), []);
    assert.equal(serverPidIn("[x Control 1] y\n"), undefined);
  });
});

describe("a fatal fault of an MPS server", () => {
  const jobs = new Map([
    [401, "job_a"],
    [402, "job_b"],
  ]);
  const users = new Set(["job_a", "job_b"]);
  const own = new Set([401]);

  it("[L3] is the fault of the member whose process it names, and of no other", () => {
    assert.equal(isToBlame({ culprit: 401, own, jobs, users }, "job_a"), true);
    assert.equal(isToBlame({ culprit: 402, own, jobs, users }, "job_a"), false);
  });

  it("[L3] is one's own if another member of the same job caused it", () => {
    assert.equal(isToBlame({ culprit: 403, own, jobs: new Map([[403, "job_a"]]), users }, "job_a"), true);
  });

  it("[L3] without a known cause is blamed on no job that had neighbours, and on the job that had none", () => {
    for (const culprit of [undefined, 999]) {
      assert.equal(isToBlame({ culprit, own, jobs, users }, "job_a"), false);
      assert.equal(isToBlame({ culprit, own, jobs, users: new Set(["job_a"]) }, "job_a"), true);
    }
  });
});
