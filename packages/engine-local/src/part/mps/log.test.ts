import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseServerLog, serverPidIn } from "./log.ts";

const log = `[2026-11-16 18:00:00.000 Control 90] NEW CLIENT 401 from user 200001: Server already exists
[2026-11-16 18:00:00.001 Server 100] Received new client request
[2026-11-16 18:00:00.002 Server 100] Status of client {PID: 401, Context ID: 1} is ACTIVE
[2026-11-16 18:00:00.900 Server 100] New client 402 connected
[2026-11-16 18:00:01.000 Server 100] Client {PID: 402, Context ID: 1} encountered a fatal GPU error.
[2026-11-16 18:00:01.001 Server 100] Server is handling a fatal GPU error.
[2026-11-16 18:00:01.002 Server 100] Client 401 disconnected
`;

/** As an H200 wrote it with driver 580.159.04; process 822 had faulted. */
const recorded = `[2026-11-16 19:40:48.482 Other   703] Startup
[2026-11-16 19:40:48.730 Server   703] Server has started
[2026-11-16 19:40:48.731 Server   703] Received new client request for {PID: -966787072, Context ID: 1}
[2026-11-16 19:40:48.751 Server   703] Status of client {PID: 701, Context ID: 1} is ACTIVE
[2026-11-16 19:40:49.537 Server   703] Status of client {PID: 822, Context ID: 1} is ACTIVE
[2026-11-16 19:40:49.758 Server   703] Client {PID: 701, Context: 1} encountered a fatal GPU error.
[2026-11-16 19:40:49.758 Server   703] All clients belonging to error trigging process 701 will be torn down
[2026-11-16 19:40:49.758 Server   703] All clients belonging to error trigging process 822 will be torn down
[2026-11-16 19:40:49.885 Server   703] Client process 822 disconnected
`;

describe("the log of an MPS server", () => {
  it("is read as drivers write it", () => {
    assert.deepEqual(parseServerLog(recorded), [
      { kind: "client", pid: 701 },
      { kind: "client", pid: 822 },
      { kind: "fault" },
    ]);
    assert.equal(serverPidIn(recorded), 703);
  });

  it("names its clients, and says that there was a fault", () => {
    assert.deepEqual(parseServerLog(log), [
      { kind: "client", pid: 401 },
      { kind: "client", pid: 402 },
      { kind: "fault" },
      { kind: "fault" },
    ]);
    assert.equal(serverPidIn(log), 100);
  });

  it("of a control daemon or of something else says nothing", () => {
    assert.deepEqual(parseServerLog("fatal GPU error\n[x Control 1] client 4 fatal GPU error\n"), []);
    assert.equal(serverPidIn("[x Control 1] y\n"), undefined);
  });
});
