import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type JobId, leaseIdOf } from "@tessera/core";
import type { LeaseOrder, NetworkOrder } from "@tessera/engine";
import { bootId } from "@tessera/engine";
import { leaseFile, stateFolder } from "../../lease/folder.ts";
import { type Bench, openBench, orderOf, temporaryFolder } from "../../order.fixture.ts";
import { sendSignal } from "../../supervise/processes.ts";
import { bareMachine, needsRoot } from "../machine.fixture.ts";
import { Networks, networkMark } from "./networks.ts";

const none: NetworkOrder = { egress: "none" };
const nodes = ["virtual-0", "virtual-1"];

let gangs = 0;

/** Orders of a gang with one member on each of two virtual nodes. */
function gangOf(run: string, changes: Partial<LeaseOrder> = {}): LeaseOrder[] {
  gangs += 1;
  const job = `job_${process.pid}g${gangs}` as JobId;
  const gang = { job, size: 2, gangNodes: nodes, network: none, ...changes };
  return nodes.map((node, rank) => orderOf(run, { ...gang, lease: leaseIdOf(job, 1, rank), rank, node }));
}

async function runGang(bench: Bench, orders: readonly LeaseOrder[]): Promise<(number | undefined)[]> {
  for (const order of orders) await bench.engine.bind(order);
  for (const { lease } of orders) await bench.until(lease, "prepared");
  for (const { lease } of orders) await bench.engine.release(lease);
  const codes: (number | undefined)[] = [];
  for (const { lease } of orders) codes.push((await bench.until(lease, "exited")).code);
  return codes;
}

/** What of the networks of this engine is on the machine: namespaces and links. */
function left(dir: string): string[] {
  const mark = `tess${networkMark(dir)}`;
  const names = (folder: string) => {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  };
  return [...names("/run/netns"), ...names("/sys/class/net")].filter((name) => name.startsWith(mark));
}

async function untilNoneLeft(dir: string): Promise<void> {
  while (left(dir).length > 0) await sleep(20);
}

async function listenHere(t: TestContext, host: string): Promise<number> {
  let met = 0;
  const server = createServer((socket) => {
    met += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => void server.listen(0, host, resolve));
  t.after(() => {
    server.close();
    assert.equal(met, 0, "a job reached the machine");
  });
  return (server.address() as { readonly port: number }).port;
}

/** Prints what becomes of a connection to each of the addresses. */
function tryAll(targets: readonly string[]): string {
  return `python3 - ${targets.join(" ")} <<'END'
import socket, sys
for target in sys.argv[1:]:
    host, port = target.rsplit(":", 1)
    s = socket.socket(); s.settimeout(1)
    try: s.connect((host, int(port))); print("REACHED", target)
    except OSError as e: print("not", target, e)
END`;
}

describe("the network of a job", { skip: needsRoot }, () => {
  it("lets the members of a gang meet on different nodes, at a port that no other socket is given", async (t) => {
    const bench = await openBench(t);
    const orders = gangOf(`python3 - <<'END'
import os, socket, time
address = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
if os.environ["RANK"] == "0":
    s = socket.create_server(("", address[1])); c, peer = s.accept(); print("met", peer[0], c.recv(9))
    print(open("/proc/sys/net/ipv4/ip_local_reserved_ports").read().strip() == os.environ["MASTER_PORT"])
else:
    for _ in range(100):
        try: c = socket.create_connection(address, 1); break
        except OSError: time.sleep(0.05)
    c.sendall(b"hello"); print("sent")
    print("own name", socket.gethostbyname(socket.gethostname()) == c.getsockname()[0])
    print("node", socket.gethostbyname("virtual-0") == address[0])
END`);
    assert.deepEqual(await runGang(bench, orders), [0, 0]);
    assert.match(await bench.text(orders[1]!.lease), /^sent\nown name True\nnode True$/m);
    assert.match(await bench.text(orders[0]!.lease), /^met 198\.1[89]\.\d+\.\d+ b'hello'\nTrue$/m);
    await untilNoneLeft(bench.dir);
  });

  it("reaches neither the machine nor another job, on any port, nor can it take a port of the machine", async (t) => {
    const bench = await openBench(t);
    const [own, every] = [await listenHere(t, "127.0.0.1"), await listenHere(t, "0.0.0.0")];
    const [other] = gangOf("exec python3 -m http.server 8123", { gangNodes: ["virtual-0"], size: 1 });
    await bench.engine.bind(other!);
    await bench.until(other!.lease, "prepared");
    await bench.engine.release(other!.lease);
    const sheet = JSON.parse(readFileSync(join(bench.dir, "leases", other!.lease, leaseFile.order), "utf8"));
    const targets = [
      `127.0.0.1:${own}`,
      `127.0.0.1:${every}`,
      `192.0.2.2:${every}`,
      `${sheet.network.addresses[0]}:8123`,
    ];
    const bind = `python3 -c 'import socket; socket.create_server(("127.0.0.1", ${own})); print("its own port")'`;
    const order = orderOf(`${tryAll(targets)}\n${bind}\nls /sys/class/net; ls /run/netns`, { network: none });
    assert.equal((await bench.run(order)).code, 0);
    const text = await bench.text(order.lease);
    assert.doesNotMatch(text, /REACHED/);
    assert.match(text, /^its own port$/m);
    assert.match(text, /^eth0\nlo$/m);
    assert.doesNotMatch(text, /tess/);
  });

  it("is entered through its ports, also where another process of the machine listens on the same one", async (t) => {
    const bench = await openBench(t);
    const port = await listenHere(t, "127.0.0.1");
    const serve = `python3 -uc 'import socket
s = socket.create_server(("127.0.0.1", ${port})); print("listens")
while True: s.accept()[0].sendall(b"the job")'`;
    const order = orderOf(serve, { network: none });
    await bench.start(order, "listens");
    assert.deepEqual(await bench.engine.ports(order.lease), [port]);
    for (let visit = 0; visit < 2; visit += 1) {
      const entry = await bench.engine.open(order.lease, { kind: "port", port });
      entry.errors.resume();
      let heard = "";
      entry.output.on("data", (part) => {
        heard += part;
      });
      while (heard === "") await sleep(10);
      assert.equal(heard, "the job");
      entry.close();
    }
  });

  it("is taken away when the supervisors are killed", async (t) => {
    const bench = await openBench(t);
    const orders = gangOf("sleep 1000");
    for (const order of orders) await bench.engine.bind(order);
    for (const { lease } of orders) await bench.until(lease, "prepared");
    assert.equal(left(bench.dir).length, 3);
    for (const { lease } of orders) {
      sendSignal(JSON.parse(readFileSync(join(bench.dir, "leases", lease, leaseFile.claim), "utf8")).pid, "SIGKILL");
    }
    for (const { lease } of orders) await bench.until(lease, "lost");
    await untilNoneLeft(bench.dir);
  });

  it("is taken away by the next server of the folder, or by any once the folder is gone", async (t) => {
    for (const sweeper of ["own", "other"]) {
      const dir = await temporaryFolder(t);
      const state = stateFolder(dir);
      await mkdir(state.networks);
      const [order] = gangOf("true");
      await new Networks(state, bootId(), { owner: "root" }).join(order!);
      assert.equal(left(dir).length, 3);
      if (sweeper === "other") await rm(dir, { recursive: true });
      const bench = await openBench(t, sweeper === "own" ? { dir } : {});
      assert.deepEqual(await bench.engine.list(), []);
      assert.deepEqual(left(dir), []);
    }
  });
});

describe("without a way out", () => {
  it("a job that may go everywhere has no wall, says so, and is refused where that is strict", async (t) => {
    const bench = await openBench(t, {}, bareMachine);
    assert.ok(bench.engine.capabilities.gaps?.some((gap) => gap.startsWith("jobs share the network")));
    const order = orderOf("true");
    await bench.engine.bind(order);
    assert.match((await bench.until(order.lease, "prepared")).enforcement.network!, /^none \(no network namespaces/);
    const strict = orderOf("true", { strict: true });
    await bench.engine.bind(strict);
    assert.match((await bench.until(strict.lease, "refused")).reason, /network: none/);
    const closed = orderOf("true", { network: none });
    await bench.engine.bind(closed);
    assert.match((await bench.until(closed.lease, "refused")).reason, /egress none needs network namespaces/);
  });

  it("gangs meet on ports that were free, each on another", async (t) => {
    const bench = await openBench(t, {}, bareMachine);
    const orders = [orderOf("echo $MASTER_PORT"), orderOf("echo $MASTER_PORT")];
    for (const order of orders) await bench.run(order);
    const [one, two] = await Promise.all(orders.map(({ lease }) => bench.text(lease)));
    assert.match(`${one} ${two}`, /^\d+ \d+$/);
    assert.notEqual(one, two);
  });
});
