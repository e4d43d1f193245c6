import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { LeaseId } from "@tessera/core";
import type { Engine, Entry } from "@tessera/engine";
import { examineMachine } from "../limit/machine.ts";
import { type Bench, openBench, orderOf } from "../order.fixture.ts";
import { argumentsOf, listProcesses } from "./processes.ts";

const linux = process.platform === "linux" ? false : "needs /proc";

function wordsOf(pid: number): string {
  return argumentsOf(pid).replaceAll("\0", " ").trim();
}

const runs = (words: string) => listProcesses().some(({ pid }) => wordsOf(pid) === words);

async function untilTrue(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10);
}

async function textOf(entry: Entry): Promise<string> {
  entry.errors.resume();
  let text = "";
  for await (const part of entry.output) text += part;
  return text;
}

function exec(engine: Engine, lease: LeaseId, command: string): Promise<Entry> {
  return engine.open(lease, { kind: "exec", command });
}

let numbers = 0;
/** A time to sleep that no other process has, to find the sleeper by. */
const rareSeconds = () => `${70_000 + (process.pid % 10_000)}.${++numbers}`;

describe("an entry into a member", { skip: linux }, () => {
  it("has the user, namespaces, groups, folder and environment of the member", async (t) => {
    for (const bench of await benches(t)) {
      const about = "id; pwd; readlink /proc/self/ns/pid /proc/self/ns/mnt; cat /proc/self/cgroup; echo $SECRET";
      const order = orderOf(`{ ${about}; }; echo up; exec sleep 1000`, { secrets: { SECRET: "s3cret" } });
      await bench.start(order, "\nup"); // a line of its own: "groups=" holds the word too
      const inside = await textOf(await exec(bench.engine, order.lease, about));
      const shown = (await bench.text(order.lease)).split("\nup")[0];
      assert.equal(inside.trimEnd().replace("s3cret", "***"), shown?.replace(/^\S*\*+\S*$/m, "***"));
      assert.match(inside, /s3cret/);
    }
  });

  it("leaves nothing behind, not even behind nohup and setsid", async (t) => {
    for (const bench of await benches(t)) {
      const order = orderOf("echo up; exec sleep 1000");
      await bench.start(order, "up");
      const [one, two, three] = [rareSeconds(), rareSeconds(), rareSeconds()];
      const left = `nohup sleep ${one} >/dev/null 2>&1 & setsid sleep ${two} >/dev/null 2>&1 &`;
      const ended = await exec(bench.engine, order.lease, left);
      await textOf(ended);
      assert.deepEqual(await ended.ended, { code: 0 });
      const cut = await exec(bench.engine, order.lease, `${left} trap "" HUP TERM; sleep ${three}; sleep ${three}`);
      await untilTrue(() => runs(`sleep ${three}`));
      cut.close();
      await untilTrue(() => ![one, two, three].some((seconds) => runs(`sleep ${seconds}`)));
    }
  });

  it("does not use up the grace of a job that is told to stop", async (t) => {
    const bench = await openBench(t);
    const order = orderOf("trap 'exit 3' TERM; echo up; while :; do sleep 0.05; done");
    await bench.start(order, "up");
    const visitor = await exec(bench.engine, order.lease, "trap '' TERM; echo in; while :; do sleep 0.05; done");
    await new Promise((resolve) => visitor.output.once("data", resolve));
    await bench.engine.stop(order.lease, { signal: "SIGTERM", graceMs: 3_600_000 });
    const end = await bench.until(order.lease, "exited");
    assert.equal(end.ran && end.code, 3);
    assert.deepEqual(await visitor.ended, { broken: "the job has ended" });
  });

  it("tells that it was killed, and that a program is missing", async (t) => {
    const bench = await openBench(t);
    const order = orderOf("echo up; exec sleep 1000");
    await bench.start(order, "up");
    const killed = await exec(bench.engine, order.lease, "kill -9 $$");
    await textOf(killed);
    assert.deepEqual(await killed.ended, { code: 137 });
    const unknown = await exec(bench.engine, order.lease, "no-such-program-here");
    await textOf(unknown);
    assert.deepEqual(await unknown.ended, { code: 127 });
  });
});

/** With the strongest means of this machine, and with those that a machine without namespaces has. */
async function benches(t: TestContext): Promise<Bench[]> {
  const strong = await openBench(t);
  const weak = await openBench(t, {}, (state) => examineMachine(state, ["bwrap", "unshare"]));
  return [strong, weak];
}
