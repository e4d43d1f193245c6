import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isRefusal, type JobId, minute, nodeKey } from "@tessera/core";
import type { Clock } from "@tessera/engine";
import { declareNodes, SimulatedEngine, SimulatedFleet } from "@tessera/engine-simulated";
import { MemoryPlace } from "../../store/index.ts";
import { TestControl } from "../../testing/control.ts";
import { Line } from "../../testing/severable.ts";
import { serveApi, Tenancy, type TestUser, testVault } from "../../testing/tenancy.ts";
import type { Asker } from "../control.ts";
import { credentialsKind } from "./credentials.ts";
import { addEngine, deleteEngine, editEngine } from "./desk.ts";
import { Engines } from "./engines.ts";
import type { AddedKind } from "./kinds.ts";
import { usualPatience } from "./patience.ts";

const by: Asker = { actor: { user: "system" }, request: "test" };
const patience = { ...usualPatience, probeMs: 10, newsMs: 5, retryMsFirst: 5, retryMsMax: 20, failuresMax: 3 };
const kubeconfig = JSON.stringify({
  ...{ "current-context": "c", contexts: [{ name: "c", context: { cluster: "k", user: "u" } }] },
  clusters: [{ name: "k", cluster: { server: "https://k.example" } }],
  users: [{ name: "u", user: { token: "a-token-of-the-cluster" } }],
});

/** What is simulated does not keep the test from ending. */
const clock: Clock = {
  now: () => Date.now(),
  at(instant, act) {
    const timer = setTimeout(act, Math.max(0, instant - Date.now())).unref();
    return () => clearTimeout(timer);
  },
};

/** Simulated clusters, which outlive servers, and the lines to them. */
class Clusters {
  readonly #fleets = new Map<string, SimulatedFleet>();
  readonly #lines = new Map<string, Line>();
  /** What the newest connection to each was made with. */
  readonly credentials = new Map<string, string | undefined>();
  /** Engines that lead to the cluster of another name. */
  readonly others = new Map<string, string>();

  line(name: string): Line {
    const line = this.#lines.get(name) ?? new Line(`${name} v1`);
    this.#lines.set(name, line);
    return line;
  }

  fleet(name: string): SimulatedFleet {
    const nodes = declareNodes({ engine: name, count: 1, gpusEach: 2, model: "H100" });
    const fleet = this.#fleets.get(name) ?? new SimulatedFleet({ clock, nodes });
    this.#fleets.set(name, fleet);
    return fleet;
  }

  jobsOf(name: string): JobId[] {
    return [...this.fleet(name).members].flatMap(({ order }) => order?.job ?? []);
  }

  kind(sealed: boolean): AddedKind {
    return {
      sealed,
      check: () => undefined,
      try: async ({ name }) => {
        if (this.line(name).cut) throw new Error("the line is cut");
        return { version: "1", nodes: 1, gpus: 2 };
      },
      identify: async ({ name }) => {
        const cluster = this.others.get(name) ?? name;
        if (this.line(cluster).cut) throw new Error("the line is cut");
        return cluster;
      },
      open: ({ name, credentials }) => {
        this.credentials.set(name, credentials);
        return this.line(name).to(new SimulatedEngine(this.fleet(name), name));
      },
    };
  }
}

/** A server without HTTP: a control plane in this process and the engines that it drives. */
class Server {
  readonly control: TestControl;
  readonly engines: Engines;
  readonly said: string[] = [];

  constructor(control: TestControl, clusters: Clusters) {
    this.control = control;
    this.engines = new Engines({
      kinds: { kubernetes: clusters.kind(true), simulated: clusters.kind(false) },
      given: [],
      patience,
      warn: (text) => void this.said.push(text),
    });
  }

  static async start(place: MemoryPlace, clusters: Clusters): Promise<Server> {
    const control = await TestControl.start(place);
    const server = new Server(control, clusters);
    await server.engines.begin({
      control,
      vault: testVault(control.state),
      driver: ({ name }) => ({
        report: (report) => control.hear(name, report),
        secretsFor: async () => ({ secrets: {} }),
        now: () => control.now(),
        sleep: (ms) => sleep(ms),
        onFenced: (error) => {
          throw error;
        },
      }),
    });
    return server;
  }

  async add(name: string, lostAfterMs = 0): Promise<void> {
    const asked = { name, kind: "kubernetes", kubeconfig, settings: {}, lostAfterMs } as const;
    assert.equal(await addEngine(this.engines, by, asked), undefined);
  }

  /** Cancels what runs on an engine. */
  async clear(name: string): Promise<void> {
    const jobs = new Set(
      [...this.control.state.leases.values()].map(({ job }) => this.control.state.jobs.get(job)!.id),
    );
    for (const id of jobs) if (this.engineOf(id) === name) await this.control.must({ kind: "job.cancel", job: id });
  }

  engineOf(job: JobId): string | undefined {
    const lease = this.control.state.jobById.get(job)?.leases[0];
    return lease?.state === "running" ? this.control.state.fleet.node(lease.node).facts.engine : undefined;
  }

  away(name: string): boolean {
    return this.control.state.engines.get(name)?.away !== undefined;
  }

  modes(): Record<string, string> {
    const nodes = this.control.state.fleet.nodes.filter((node) => node !== undefined);
    return Object.fromEntries(nodes.map((node) => [nodeKey(node.facts), node.mode]));
  }

  reach(name: string): string {
    return this.engines.statusOf(this.control.state.engines.get(name)!).reach;
  }
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let i = 0; !isSo(); i++) {
    if (i > 2_000) throw new Error(`not so: ${what}`);
    await sleep(5);
  }
}

describe("several engines", { timeout: 60_000 }, () => {
  const place = new MemoryPlace();
  const clusters = new Clusters();
  let server: Server;
  let user: TestUser;
  const job = (raw: object) => new Tenancy(server.control).job("lab", user.id, { run: "sleep 600", gpus: 1, ...raw });
  after(() => server.engines.close());

  it("run jobs each, and each job where it asks to", async () => {
    server = await Server.start(place, clusters);
    const tenancy = new Tenancy(server.control);
    await tenancy.account("lab");
    user = await tenancy.user("ann", "platform-owner");
    await server.add("east", minute);
    await server.add("west");
    assert.deepEqual(server.modes(), { "east/sim-1": "up", "west/sim-1": "up" });
    const [one, other] = [await job({ engine: "east" }), await job({ engine: "west" })];
    await until("both run", () => server.engineOf(one) === "east" && server.engineOf(other) === "west");
    assert.deepEqual(clusters.jobsOf("east"), [one]);
    // Beside another engine each node says what it can do.
    assert.equal(server.control.state.fleet.nodeByName.get("east/sim-1")?.facts.offers?.images, false);
  });

  it("go on when one of them cannot be reached, whose jobs keep running", async (t) => {
    const { state } = server.control;
    const running = [...state.leases.keys()];
    clusters.line("east").cut = true;
    await until("east is away", () => server.away("east"));
    assert.deepEqual(server.modes(), { "east/sim-1": "unknown", "west/sim-1": "up" });
    assert.equal(server.reach("east"), "unreachable");
    assert.deepEqual([...state.leases.keys()], running);
    const elsewhere = await job({});
    await until("a new job runs in the west", () => server.engineOf(elsewhere) === "west");
    const waits = await job({ engine: "east" });
    assert.equal(state.jobById.get(waits)?.leases.length, 0);
    const api = await serveApi(server.control, {}, undefined, undefined, server.engines);
    t.after(() => api.close());
    const shown = await api.must<{ reach: string; error: string; since: string }>(user, "GET", "/v1/engines/east");
    assert.equal(shown.reach, "unreachable");
    assert.match(shown.error, /the line is cut/);
    assert.ok(shown.since !== undefined);
    const member = await new Tenancy(server.control).user("max", "member", "lab");
    assert.doesNotMatch(JSON.stringify(await api.must(member, "GET", "/v1/engines")), /the line is cut/);
    assert.match(JSON.stringify(await api.must(member, "GET", "/v1/nodes")), /east is out of reach/);
    const why = await api.must<{ reason: { kind: string; detail: string } }>(user, "GET", `/v1/jobs/${waits}/explain`);
    assert.match(why.reason.detail, /east/);
    clusters.line("east").cut = false;
    await until("the job that waited runs", () => server.engineOf(waits) === "east");
    assert.equal(server.reach("east"), "reachable");
    for (const lease of running) assert.equal(state.leases.get(lease as never)?.state, "running");
    await server.control.must({ kind: "job.cancel", job: elsewhere });
    await until("it is gone", () => !state.jobById.has(elsewhere));
  });

  it("lose what ran on one that stays out of reach, and start it on another", async () => {
    const { control } = server;
    await server.clear("east");
    await until("the east is empty", () => clusters.jobsOf("east").length === 0);
    await control.must({ kind: "engine.cordon", name: "west", reason: "test" });
    const moves = await job({});
    await until("it runs in the east", () => server.engineOf(moves) === "east");
    await control.must({ kind: "engine.up", name: "west" });
    clusters.line("east").cut = true;
    await until("east is away", () => server.away("east"));
    control.setTime(control.now() + 2 * minute);
    await control.tick();
    await until("it runs in the west", () => server.engineOf(moves) === "west");
    clusters.line("east").cut = false;
    await until("what was lost is stopped there", () => clusters.jobsOf("east").length === 0);
  });

  it("are driven on after a restart, and one that is away keeps nothing from starting", async () => {
    const { state } = server.control;
    const running = [...state.leases.keys()];
    await server.engines.close();
    clusters.line("west").cut = true;
    server = await Server.start(place, clusters);
    assert.match(clusters.credentials.get("east") ?? "", /a-token-of-the-cluster/);
    await until("west is away", () => server.away("west"));
    const here = await job({});
    await until("the other engine runs jobs", () => server.engineOf(here) === "east");
    clusters.line("west").cut = false;
    await until("west is back", () => !server.away("west"));
    for (const lease of running) assert.equal(server.control.state.leases.get(lease)?.state, "running");
  });

  it("keep their credentials sealed, and take them along when they are deleted", async () => {
    const { control } = server;
    const rows = await control.reader.privates(credentialsKind);
    assert.deepEqual([...rows.keys()].sort(), ["east", "west"]);
    for (const row of rows.values()) assert.doesNotMatch(Buffer.from(row).toString("latin1"), /a-token-of-the-cluster/);
    assert.equal(await deleteEngine(server.engines, by, "west"), undefined);
    const waits = await job({ engine: "west" });
    assert.equal(control.state.jobById.get(waits)?.leases.length, 0);
    assert.ok(control.state.engines.get("west")?.leaving);
    await server.clear("west");
    await until("west is gone", () => !control.state.engines.has("west"));
    assert.deepEqual(Object.keys(server.modes()), ["east/sim-1"]);
    for (let i = 0; (await control.reader.privates(credentialsKind)).has("west"); i++) {
      assert.ok(i < 1_000, "the credentials are deleted");
      await sleep(5);
    }
  });

  it("are not added when they cannot be reached, and nothing is changed", async () => {
    clusters.line("north").cut = true;
    const before = [...server.control.state.engines.keys()];
    const asked = { name: "north", kind: "kubernetes", kubeconfig, settings: {}, lostAfterMs: 0 } as const;
    const refusal = await addEngine(server.engines, by, asked);
    assert.ok(isRefusal(refusal));
    assert.match(refusal.detail, /the line is cut/);
    assert.deepEqual([...server.control.state.engines.keys()], before);
    assert.equal((await server.control.reader.privates(credentialsKind)).has("north"), false);
  });

  it("are not added when they lead to the cluster of another engine", async () => {
    clusters.others.set("elsewhere", "east");
    const asked = { name: "elsewhere", kind: "kubernetes", kubeconfig, settings: {}, lostAfterMs: 0 } as const;
    const refusal = await addEngine(server.engines, by, asked);
    assert.ok(isRefusal(refusal));
    assert.equal(refusal.refused, "conflict");
    assert.equal(refusal.field, "kubeconfig");
    assert.match(refusal.detail, /the cluster of engine east/);
    assert.ok(!server.control.state.engines.has("elsewhere"));
    // Its own cluster is none of another engine.
    assert.equal(await editEngine(server.engines, by, "east", { kubeconfig }), undefined);
  });

  it("ask for credentials that were lost", async () => {
    await server.engines.close();
    await server.control.must({ kind: "privates.note" }, [{ kind: credentialsKind, key: "east", value: null }]);
    server = await Server.start(place, clusters);
    const status = server.engines.statusOf(server.control.state.engines.get("east")!);
    assert.equal(status.credentials, "missing");
    assert.match(status.error ?? "", /tess engine edit east --kubeconfig/);
    assert.ok(server.away("east"));
  });
});
