import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { readAsks, readLog, readMachines } from "../check/inputs.ts";
import { replay } from "../check/replay.ts";
import { BadInput } from "../command/command.ts";
import { Dice } from "../prove/dice.ts";
import { writeOpenbFiles } from "../testing/openb-files.ts";
import { DecisionLog } from "../trace/decision-log.ts";
import { arrivalsOf, type Order } from "./arrivals.ts";
import { openbCommand } from "./command.ts";
import { runWithDepartures } from "./departures.ts";
import { typicalOf } from "./fragment.ts";
import { policyNames, policyOf } from "./policies.ts";
import { readNodes, readTasks } from "./read.ts";
import { runOnce } from "./run.ts";

const shared = fileURLToPath(new URL("../../../../../shared/traces/alibaba-openb/", import.meta.url));

describe("the openb protocol on a made-up fleet", () => {
  let folder: string;
  let files: { nodes: string; tasks: string };
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "openb-"));
    files = writeOpenbFiles(folder, { nodes: 30, tasks: 260, seed: 7 });
  });
  after(() => rmSync(folder, { recursive: true }));

  const run = (
    policy: string,
    { seed = 42, order = "shuffled" as Order, log = undefined as string | undefined } = {},
  ) => {
    const decisions = log === undefined ? undefined : new DecisionLog(log);
    const [mark] = runOnce(
      {
        nodes: readNodes(files.nodes),
        list: readTasks(files.tasks),
        order,
        seed,
        policy: policyOf(policy, "online", false),
        ...(decisions && { log: decisions }),
      },
      [100],
    );
    decisions?.close();
    return mark!;
  };

  for (const policy of policyNames) {
    it(`leaves a log of ${policy} that the independent check finds nothing in`, () => {
      const log = join(folder, `${policy}.csv`);
      run(policy, { log });
      const rows = readLog(log);
      assert.ok(rows.length > 200);
      const breaches = replay({
        machines: readMachines(files.nodes),
        asks: readAsks(files.tasks),
        rows,
        accounts: new Map(),
      });
      assert.deepEqual(breaches, []);
    });
  }

  it("gives the same result for the same seed, and another for another", () => {
    assert.deepEqual(run("tessera"), run("tessera"));
    assert.notDeepEqual(run("random"), run("random", { seed: 43 }));
  });

  it("[P4] allocates more with the product's placement than a random one, shuffled or in the order of the file", () => {
    for (const order of ["shuffled", "file"] as const) {
      assert.ok(run("tessera", { order }).allocation > run("random", { order }).allocation, order);
    }
  });

  it("lets tasks leave again, with a log that the independent check finds nothing in", () => {
    const log = join(folder, "departures.csv");
    const decisions = new DecisionLog(log);
    const input = { nodes: readNodes(files.nodes), list: readTasks(files.tasks), order: "shuffled", seed: 42 } as const;
    const run = (policy: string, load: number, more = {}) =>
      runWithDepartures({ ...input, policy: policyOf(policy, "online", true), ...more }, load);
    const { allocation } = run("tessera", 110, { log: decisions });
    decisions.close();
    const [machines, asks] = [readMachines(files.nodes), readAsks(files.tasks)];
    assert.deepEqual(replay({ machines, asks, rows: readLog(log), accounts: new Map() }), []);
    assert.ok(allocation > run("clustering", 60).allocation, "more is held of a higher load");
  });

  it("offers 1.3 times what the fleet has: adds tasks by chance, and takes some away from a longer list", () => {
    const list = readTasks(files.tasks);
    const demand = (tasks: readonly { kind: number }[]) =>
      tasks.reduce((sum, { kind }) => sum + list.kinds[kind]!.gpus * list.kinds[kind]!.milli, 0);
    const given = demand(list.tasks);
    for (const capacity of [Math.round(given / 2), 2 * given]) {
      const arrivals = arrivalsOf(list, capacity, "file", new Dice(1));
      assert.ok(Math.abs(demand(arrivals) / capacity - 1.3) < 0.08, `${demand(arrivals) / capacity}`);
    }
    const again = arrivalsOf(list, 2 * given, "file", new Dice(1)).map(({ drawn }) => drawn);
    assert.equal(again[0], "task-0000");
    assert.equal(new Set(again).size, again.length);
    assert.ok(again.some((name) => name.endsWith("#2")));
  });

  it("takes as typical the most frequent kinds that hold 95 % of the rows", () => {
    const { kinds, tasks } = readTasks(files.tasks);
    const rows = kinds.map((_, kind) => tasks.filter((task) => task.kind === kind).length);
    const typical = typicalOf({ kinds, rows });
    const held = typical.kinds.reduce((sum, kind) => sum + rows[kind]!, 0);
    assert.ok(held >= 0.95 * tasks.length && held - rows[typical.kinds.at(-1)!]! < 0.95 * tasks.length);
    assert.ok(Math.abs(typical.chance.reduce((sum, chance) => sum + chance, 0) - 1) < 1e-9);
  });

  it("prints what it measured, and writes a log for each run", async () => {
    const lines: string[] = [];
    const terminal = {
      out: (line: string) => lines.push(line),
      err: assert.fail,
      paint: (_: string, text: string) => text,
    };
    const common = ["--nodes", files.nodes, "--tasks", files.tasks, "--seeds", "1..2", "--policy", "bestfit,tessera"];
    await openbCommand.run([...common, "--log", join(folder, "all.csv"), "-o", "json"], terminal);
    const said = JSON.parse(lines[0]!);
    assert.deepEqual(
      said.results.map(({ policy, arrived, runs }: Record<string, unknown>) => [policy, arrived, runs]),
      [
        ["bestfit", 100, 2],
        ["bestfit", 130, 2],
        ["tessera", 100, 2],
        ["tessera", 130, 2],
      ],
    );
    assert.equal(said.logs.length, 4);
    for (const log of said.logs) assert.match(readFileSync(log, "utf8"), /^task,node,devices,milli,start,end\n/);
  });

  it("names the file, the line and the value that it cannot read", () => {
    assert.throws(
      () => readNodes(files.tasks),
      (error: Error) => error instanceof BadInput && /column sn is missing/.test(error.message),
    );
    assert.throws(() => readTasks(join(folder, "none.csv")), /none\.csv: cannot be read/);
  });
});

describe("the openb protocol on the published trace", { skip: !existsSync(shared) && "../shared is not there" }, () => {
  const nodes = () => readNodes(join(shared, "openb_node_list_gpu_node.csv"));
  const allocation = (policy: string, workload: string, order: Order) =>
    runOnce(
      {
        nodes: nodes(),
        list: readTasks(join(shared, `openb_pod_list_${workload}.csv`)),
        order,
        seed: 42,
        policy: policyOf(policy, "online", false),
      },
      [100],
    )[0]!.allocation;

  it("comes within 0.6 points of the published BestFit", () => {
    assert.ok(Math.abs(allocation("bestfit", "default", "shuffled") - 92.86) < 0.6);
  });

  it("[P4] keeps room for gangs of which none has come yet: a mix that moves costs little", () => {
    assert.ok(allocation("tessera", "multigpu50", "file") > 94);
  });
});
