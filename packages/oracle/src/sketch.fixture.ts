import type { Quota } from "@tessera/core/model";
import { unitsPerGpu } from "@tessera/core/model";
import { amountOf } from "./amount.ts";
import { coverFor } from "./quota.ts";
import { freeRoom } from "./room.ts";
import { type Account, type Holding, type Node, noAccount, optionsOf, type Wish, type World } from "./world.ts";

interface SketchedAccount {
  readonly guarantee?: number;
  readonly max?: number;
  readonly lendable?: number;
  readonly weight?: number;
}

interface SketchedNode {
  readonly name: string;
  readonly gpus: number;
  readonly rack?: string;
  readonly memoryMiB?: number;
}

interface SketchedJob {
  readonly job: string;
  readonly account: string;
  readonly gpus?: number;
  readonly count?: number;
  readonly members?: number;
  readonly apart?: boolean;
  readonly within?: Wish["within"];
  readonly priority?: number;
  readonly preemptible?: boolean;
  readonly memoryMiB?: number;
  /** Names of its members' nodes; absent = the first free ones. */
  readonly on?: readonly string[];
  readonly since?: number;
}

const start = 1_000_000;

/** Builds a world for tests: running jobs in order of start, and waiting jobs in order of submission. */
export class Sketch {
  #world: World;
  #no = 0;

  constructor(nodes: readonly SketchedNode[], accounts: Readonly<Record<string, SketchedAccount>>) {
    let gpus = 0;
    this.#world = {
      now: start,
      accounts: treeOf(accounts),
      models: ["H100"],
      nodes: nodes.map((node): Node => {
        const own = Array.from({ length: node.gpus }, () => gpus++);
        const { name, rack = "r", memoryMiB = 0 } = node;
        return {
          name,
          up: true,
          model: 0,
          gpus: own,
          mode: "whole",
          cpusMilli: 0,
          memoryMiB,
          engine: "e",
          region: "",
          zone: "z",
          block: "b",
          rack,
          nvlink: name,
        };
      }),
      holdings: [],
      holds: [],
      wishes: [],
      rebalance: "on",
      minRuntimeMs: 0,
      planned: [],
    };
  }

  get world(): World {
    return this.#world;
  }

  /** Replaces any fields. */
  set(change: Partial<World>): this {
    this.#world = { ...this.#world, ...change };
    return this;
  }

  later(ms: number): this {
    return this.set({ now: this.#world.now + ms });
  }

  waits(...jobs: SketchedJob[]): this {
    for (const job of jobs) this.set({ wishes: [...this.#world.wishes, ...this.#wishes(job)] });
    return this;
  }

  runs(...jobs: SketchedJob[]): this {
    for (const job of jobs) for (const wish of this.#wishes(job)) this.#start(wish, job);
    return this;
  }

  wish(job: string): Wish {
    return this.#world.wishes.find((each) => each.job === job)!;
  }

  held(...jobs: string[]): Holding[] {
    return jobs.map((job) => this.#world.holdings.find((each) => each.job === job)!);
  }

  account(path: string): number {
    return this.#world.accounts.findIndex((each) => each.path === path);
  }

  #wishes({ job, account, count, ...given }: SketchedJob): Wish[] {
    const names = count === undefined ? [job] : Array.from({ length: count }, (_, i) => `${job}.${i + 1}`);
    return names.map((name) => ({
      job: name,
      account: this.account(account),
      no: ++this.#no,
      asks: [{ model: "*", gpus: given.gpus ?? 1, compute: unitsPerGpu, memory: unitsPerGpu }],
      members: given.members ?? 1,
      elastic: false,
      apart: given.apart ?? false,
      within: given.within,
      cpusMilli: 0,
      memoryMiB: given.memoryMiB ?? 0,
      priority: given.priority ?? 0,
      preemptible: given.preemptible ?? true,
      evictedAt: [],
    }));
  }

  #start(wish: Wish, { on, since = this.#world.now }: SketchedJob): void {
    const option = optionsOf(this.#world, wish)[0]!;
    const left = freeRoom(this.#world).map((room) => ({ ...room, gpus: [...room.gpus] }));
    const seats = Array.from({ length: wish.members }, (_, member) => {
      const room = left.find(
        ({ node, gpus }) => gpus.length >= option.gpus && (on === undefined || on[member] === this.#name(node)),
      )!;
      return { node: room.node, gpus: room.gpus.splice(0, option.gpus) };
    });
    const { job, account, no, priority, preemptible, cpusMilli, memoryMiB } = wish;
    const { compute, memory } = option;
    const cover = coverFor(this.#world, account, amountOf(this.#world, wish, option));
    const holding: Holding = {
      ...{ job, account, no, priority, preemptible, cpusMilli, memoryMiB, compute, memory, seats, cover },
      ...{ extra: false, leaving: false, since, startedAt: since, evictedAt: [] },
    };
    this.set({ holdings: [...this.#world.holdings, holding] });
  }

  #name(node: number): string {
    return this.#world.nodes[node]!.name;
  }
}

/** The account tree; an account that is not given has the sum of its children's guarantees. */
function treeOf(given: Readonly<Record<string, SketchedAccount>>): Account[] {
  const paths = new Set([""]);
  for (const path of Object.keys(given)) {
    const names = path.split("/");
    for (const i of names.keys()) paths.add(names.slice(0, i + 1).join("/"));
  }
  const order = [...paths].sort((a, b) => a.split("/").length - b.split("/").length || (a < b ? -1 : 1));
  const guaranteed = (path: string): number => {
    if (given[path] !== undefined) return given[path].guarantee ?? 0;
    return order
      .filter((each) => each !== "" && each.slice(0, Math.max(0, each.lastIndexOf("/"))) === path)
      .reduce((total, child) => total + guaranteed(child), 0);
  };
  return order.map((path) => {
    const { max, lendable, weight = 1 } = given[path] ?? {};
    const quota: Quota = {
      guarantee: path === "" ? {} : { "*": guaranteed(path) * unitsPerGpu },
      ...(max !== undefined && { max: { "*": max * unitsPerGpu } }),
      ...(lendable !== undefined && { lendable: { "*": lendable * unitsPerGpu } }),
      weight,
    };
    const above = path === "" ? noAccount : order.indexOf(path.slice(0, Math.max(0, path.lastIndexOf("/"))));
    return { path, above, quota, trust: "trusted", trustGroup: "" };
  });
}
