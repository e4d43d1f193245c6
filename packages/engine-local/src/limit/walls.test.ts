import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { openBench, orderOf, temporaryFolder, visibleFolder } from "../order.fixture.ts";
import { isRoot, needsRoot } from "./machine.fixture.ts";
import { examineMachine, type Machine } from "./machine.ts";

const secret = "secret-of-the-control-plane";

async function dataFolder(t: TestContext): Promise<string> {
  const data = await visibleFolder(t);
  writeFileSync(join(data, "owner.token"), secret);
  // As if a mistake had opened them to all users: then only hiding them helps.
  chmodSync(join(data, "owner.token"), 0o644);
  return data;
}

/** The ways to close a job in that hide files; without root there is bwrap alone. */
const ways: { readonly [name: string]: (folder: string) => Promise<Machine> } = {
  "as this machine allows": examineMachine,
  ...(isRoot ? { "with util-linux alone": (folder: string) => examineMachine(folder, ["bwrap"]) } : {}),
};

for (const [name, examine] of Object.entries(ways)) {
  describe(`a job, ${name}`, () => {
    it("sees nothing of the data folder, nor the groups and temporary files of others", async (t) => {
      const data = await dataFolder(t);
      const bench = await openBench(t, { dir: join(data, "engine"), hide: [data] }, examine);
      const neighbour = orderOf("echo mine > /var/tmp/of-a-neighbour; echo ready; sleep 100000");
      await bench.start(neighbour, "ready");
      const order = orderOf(
        [
          "exec 2>&1",
          `find ${data}; cat ${data}/owner.token; echo x > ${data}/planted; ls ${data}`,
          "ls /var/tmp; echo own > /var/tmp/own && cat /tmp/own",
          "cat /proc/self/cgroup; find /sys/fs/cgroup",
          "exit 0",
        ].join("\n"),
      );
      await bench.run(order);
      const { enforcement } = await bench.until(order.lease, "prepared");
      if (!enforcement.tenant!.includes("mount-namespace")) return t.skip(`tenant: ${enforcement.tenant}`);
      const seen = await bench.text(order.lease);
      assert.ok(!seen.includes(secret), seen);
      assert.ok(!/planted$|of-a-neighbour/m.test(seen), seen);
      assert.match(seen, /^own$/m);
      assert.ok(!seen.includes(neighbour.job), seen);
      assert.ok(!seen.includes("tessera/"), `the groups of all jobs:\n${seen}`);
      assert.match(enforcement.tenant!, /cgroup-namespace/);
    });
  });
}

const calls = `import socket
for family in (40, 17, 38):
    try: socket.socket(family, socket.SOCK_DGRAM); print("OPEN", family)
    except OSError as error: print("closed", family, error.errno)
for family in (1, 2, 10): socket.socket(family, socket.SOCK_STREAM)
socket.socket(16, socket.SOCK_RAW, 0)
print("usual sockets open")`;

const bare = ["bwrap", "unshare"] as const;
for (const [name, without] of Object.entries({ "with util-linux": ["bwrap"], "with users alone": bare } as const)) {
  it(`closes namespaces and unusual sockets to a job without bwrap, ${name}`, { skip: needsRoot }, async (t) => {
    const bench = await openBench(t, {}, (folder) => examineMachine(folder, without));
    const order = orderOf(
      `exec 2>&1; unshare --user echo NAMESPACE; grep ^Seccomp: /proc/self/status; /usr/bin/python3 -c '${calls}'; exit 0`,
    );
    await bench.run(order);
    const { enforcement } = await bench.until(order.lease, "prepared");
    if (enforcement.seccomp !== "perl") return t.skip(`seccomp: ${enforcement.seccomp}`);
    const seen = await bench.text(order.lease);
    assert.ok(!/NAMESPACE|OPEN/.test(seen), seen);
    assert.match(seen, /Seccomp:\s+2/);
    assert.match(seen, /usual sockets open/);
  });
}

it("names no job in the control groups that every user of the machine can read", { skip: needsRoot }, async (t) => {
  const bench = await openBench(t, {}, (folder) => examineMachine(folder, bare));
  const victim = orderOf("echo ready; sleep 100000", { limits: { ...orderOf("").limits, processesMax: 20 } });
  await bench.start(victim, "ready");
  const order = orderOf("cat /proc/[0-9]*/cgroup; find /sys/fs/cgroup -path '*tessera*'; exit 0");
  await bench.run(order);
  const seen = await bench.text(order.lease);
  assert.ok(!seen.includes(victim.job), seen);
});

it("hands no descriptor to a job that somebody left open for the server", async (t) => {
  const folder = await temporaryFolder(t);
  writeFileSync(join(folder, "left-open"), secret);
  const descriptor = openSync(join(folder, "left-open"), "r");
  t.after(() => closeSync(descriptor));
  const module = new URL("../supervise/descriptors.js", import.meta.url);
  const program = `import { closeInherited } from "${module}"; import { spawnSync } from "node:child_process";
    closeInherited();
    spawnSync("sh", ["-c", "cat /proc/self/fd/20; ls -l /proc/self/fd"], { stdio: ["ignore", "inherit", "inherit"] });`;
  // A gap below it: Node itself closes those without one.
  const stdio = [...Array.from({ length: 20 }, (_, at) => (at === 1 || at === 2 ? "pipe" : "ignore")), descriptor];
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    stdio: stdio as ("pipe" | "ignore" | number)[],
    encoding: "utf8",
  });
  assert.match(stdout, /2 ->/);
  assert.ok(!stdout.includes(secret) && !stdout.includes("left-open"), stdout);
});

it("lets the programs of a data scientist run", { skip: needsRoot }, async (t) => {
  const bench = await openBench(t);
  const order = orderOf(
    [
      "cd $TESS_OUT && exec 2>&1",
      "git init -q a && git clone -q a b && echo git runs",
      `/usr/bin/python3 -c '${pythonProgram}'`,
      "exit 0",
    ].join("\n"),
  );
  await bench.run(order);
  const seen = await bench.text(order.lease);
  assert.match(seen, /git runs/);
  assert.match(seen, /python runs/);
});

const pythonProgram = `import multiprocessing as mp, asyncio, socket, os
async def child(): await (await asyncio.create_subprocess_exec("true")).wait()
with mp.get_context("fork").Pool(2) as pool: pool.map(abs, range(4))
asyncio.run(child())
socket.getaddrinfo("localhost", 80); socket.if_nameindex(); os.memfd_create("x"); os.eventfd(0)
print("python runs")`;
