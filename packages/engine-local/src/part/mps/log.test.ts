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

describe("the log of an MPS server", () => {
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
