import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LeaseId } from "@tessera/core";
import { type Engine, EntryRefused, type LogLine } from "@tessera/engine";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { Tenancy } from "../../testing/tenancy.ts";
import { Outage } from "../control.ts";
import { Doors, type Driven } from "./doors.ts";

const line = (text: string): LogLine => ({ at: 0, rank: 0, stream: "stdout", text });

/** An engine that has the logs of some leases, and fails where it is told to. */
function engineWith(name: string, logs: Readonly<Record<string, string>>, fails = false): Engine {
  const engine: Partial<Engine> = {
    name,
    capabilities: { images: name === "images", isolation: ["whole"], workdir: name === "dirs" },
    async *logs(lease) {
      if (fails) throw new Error(`${name} fails`);
      const text = logs[lease];
      if (text !== undefined) yield line(text);
    },
    open: () => Promise.reject(new EntryRefused(`${name} refuses`)),
  };
  return engine as Engine;
}

async function read(doors: Doors, lease: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of doors.logs(lease as LeaseId, {})) texts.push(text);
  return texts;
}

describe("the doors to several engines", () => {
  it("find a live member by its node, and what an ended one left by asking in turn", async () => {
    const control = await TestControl.start(undefined, fleetOf(1, 8));
    const tenancy = new Tenancy(control);
    await tenancy.account("lab");
    const job = await tenancy.job("lab", (await tenancy.user("ann")).id, { gpus: 1 });
    const live = control.state.jobById.get(job)!.leases[0]!.id;
    const driven: Driven[] = [
      { engine: engineWith("other", { [live]: "not this one" }, true), reach: "reachable" },
      { engine: engineWith("test", { [live]: "live", ended: "kept" }), reach: "reachable" },
    ];
    const doors = new Doors(
      () => driven,
      () => control.state,
    );
    assert.deepEqual(await read(doors, live), ["live"]);
    await assert.rejects(doors.open(live, { kind: "port", port: 1 } as never), /test refuses/);
    assert.deepEqual(await read(doors, "ended"), ["kept"]);
    await assert.rejects(read(doors, "nowhere"), /other fails/);
    await assert.rejects(doors.open("ended" as LeaseId, { kind: "port", port: 1 } as never), EntryRefused);
    driven[1] = { ...driven[1]!, reach: "unreachable" };
    assert.deepEqual(await read(doors, live), ["engine test cannot be reached now; the job there keeps running"]);
    driven[0] = { engine: engineWith("other", {}), reach: "reachable" };
    assert.deepEqual(await read(doors, "ended"), ["nothing here; test may have a log, and cannot be reached now"]);
    const readNow = () => doors.readFile(live, "work", "x", 0);
    await assert.rejects(readNow, (error: Error) => error instanceof Outage && /engine test/.test(error.message));
  });

  it("offer what some engine can do, and tell which have not been reached yet", () => {
    const doors = new Doors(
      () => [
        { engine: engineWith("images", {}), reach: "connecting" },
        { engine: engineWith("dirs", {}), reach: "reachable" },
      ],
      () => {
        throw new Error("not asked");
      },
    );
    const { images, workdir, isolation, oneTenant } = doors.capabilities;
    assert.deepEqual([images, workdir, isolation, oneTenant], [true, true, ["whole"], undefined]);
    assert.deepEqual(doors.connecting, ["images"]);
  });
});
