import { minute } from "@tessera/core";
import { nodeOf, type Teller } from "./teller.ts";

/** A program that fails, a GPU that leaves the bus under a job, checks, and a repair; then acceptance of a new node. */
export function tellHealth(t: Teller): void {
  const labels = { tier: "sick" };
  const facts = () => [...t.state.fleet.nodes].flatMap((node) => node?.facts ?? []);
  t.do({ kind: "pool.create", name: "sick", terms: { labels, tenants: ["mint"], perMille: 1000 } });
  const sick = ["s0", "s1"].map((name) => nodeOf(name, 1, { labels }));
  t.do({ kind: "node.register", nodes: [...facts(), ...sick] });
  const find = (node: string, code: string, text: string) =>
    t.do({
      kind: "node.finding",
      node: `golden/${node}`,
      gpuUuid: `GPU-${node}-0`,
      at: t.now,
      source: "xid",
      code,
      text,
    });
  t.submit("faulty", "mint", { where: labels, gpus: 1 });
  t.run("faulty");
  find("s0", "31", "MMU Fault: ENGINE GRAPHICS");
  t.exit("faulty", 134);
  t.submit("hurt", "mint", { where: labels, gpus: 1 });
  t.run("hurt");
  t.tick(minute);
  find("s0", "79", "GPU has fallen off the bus.");
  find("s0", "45", "Ch 00000008");
  t.leave("hurt");
  const result = (passed: boolean) => [
    {
      name: "memory",
      gpuUuid: "GPU-s0-0",
      result: passed ? "passed" : "failed",
      measured: "12 GiB",
      text: "pattern",
    } as const,
    { name: "all-reduce", result: "skipped", text: "there is one GPU" } as const,
  ];
  t.do({ kind: "node.checked", node: "golden/s0", results: result(false) });
  t.do({ kind: "node.checked", node: "golden/s0", results: result(true) });
  t.do({
    kind: "node.finding",
    node: "golden/s1",
    at: t.now,
    source: "pcie",
    code: "width",
    text: "x8 of x16",
    count: 2,
  });
  t.do({ kind: "repair.close", repair: t.state.nextRepair - 1, reason: "seated again" });
  const { policy } = t.state;
  t.do({ kind: "policy.set", policy: { ...policy, acceptance: true, checkEveryMs: 60 * minute } });
  t.do({ kind: "node.register", nodes: [...facts(), nodeOf("s2", 1, { labels })] });
  t.do({ kind: "policy.set", policy });
  t.run("hurt");
  t.exit("hurt", 0);
}
