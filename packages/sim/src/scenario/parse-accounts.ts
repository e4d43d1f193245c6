import { accountOrders, type GpuAmounts, trusts } from "@tessera/core";
import { BadField, type FieldPath, Fields, hintFor, knownName, mapOf } from "./fields.ts";
import { readIdleTerms } from "./idle.ts";
import type { ScenarioAccount } from "./scenario.ts";
import { accountPath, gpuAmounts, lastingDuration, name, whole } from "./values.ts";

const keys = [
  "guarantee",
  "max",
  "lendable",
  "weight",
  "trust",
  "trust_group",
  "order",
  "quantum",
  "history_half_life",
  "idle",
];
const timedKeys = ["guarantee", "max", "lendable", "weight"];

type Amounts = Partial<
  Pick<
    ScenarioAccount,
    "guarantee" | "max" | "lendable" | "weight" | "order" | "quantumMs" | "historyHalfLifeMs" | "idle"
  >
>;
type TenantTrust = Partial<Pick<ScenarioAccount, "trust" | "trustGroup">>;

/** The account tree of a scenario, changed by its quota edits. */
export class AccountTree {
  /** The terms of each account in the file, in the order written. */
  #given = new Map<string, Amounts>();
  /** By tenant: trust holds for a tenant as a whole, and an account inside that states it does so for the tenant. */
  readonly #trust = new Map<string, TenantTrust>();
  #accounts: ReadonlyMap<string, ScenarioAccount>;

  constructor(value: unknown, at: FieldPath) {
    mapOf("accounts by path", (terms, where, key) => this.#note(accountPath(key, where), terms, where))(value, at);
    this.#accounts = this.#settle();
  }

  /** Parents before their children. */
  get accounts(): ScenarioAccount[] {
    return [...this.#accounts.values()];
  }

  /** The path of an account of the file. */
  known(value: unknown, at: FieldPath): string {
    if (typeof value === "string" && this.#accounts.has(value)) return value;
    throw new BadField(at, value, "is not under accounts", hintFor(String(value), [...this.#accounts.keys()]));
  }

  /** Changes the terms of one account; answers every account whose terms changed by that. */
  edit(path: string, terms: unknown, at: FieldPath): ScenarioAccount[] {
    const before = this.#accounts;
    this.#note(path, terms, at);
    this.#accounts = this.#settle();
    return this.accounts.filter((account) => JSON.stringify(account) !== JSON.stringify(before.get(account.path)));
  }

  /** The accounts with another quota for a time; the terms that come back do not change. */
  during(path: string, terms: unknown, at: FieldPath): ScenarioAccount[] {
    new Fields(terms, at, "a quota for a time", timedKeys);
    const [given, accounts] = [new Map(this.#given), this.#accounts];
    const changed = this.edit(path, terms, at);
    this.#given = given;
    this.#accounts = accounts;
    return changed;
  }

  #note(path: string, terms: unknown, at: FieldPath): void {
    const fields = new Fields(terms, at, "an account", keys);
    const trust: TenantTrust = present({
      trust: fields.take("trust", knownName("a level of trust", trusts)),
      trustGroup: fields.take("trust_group", name),
    });
    const amounts: Amounts = present({
      guarantee: fields.take("guarantee", gpuAmounts),
      max: fields.take("max", gpuAmounts),
      lendable: fields.take("lendable", gpuAmounts),
      weight: fields.take("weight", whole("a weight", 0)),
      order: fields.take("order", knownName("an order", accountOrders)),
      quantumMs: fields.take("quantum", lastingDuration),
      historyHalfLifeMs: fields.take("history_half_life", lastingDuration),
      idle: fields.take("idle", readIdleTerms),
    });
    this.#given.set(path, { ...this.#given.get(path), ...amounts });
    this.#noteTrust(path, trust, at);
  }

  #noteTrust(path: string, trust: TenantTrust, at: FieldPath): void {
    const tenant = path.split("/")[0]!;
    const known = this.#trust.get(tenant) ?? {};
    for (const [key, field] of [
      ["trust", "trust"],
      ["trustGroup", "trust_group"],
    ] as const) {
      const [mine, theirs] = [trust[key], known[key]];
      if (path === tenant || mine === undefined || theirs === undefined || mine === theirs) continue;
      const hint = `a tenant is trusted as a whole: write it once, on ${tenant}`;
      throw new BadField([...at, field], mine, `differs from ${theirs}, which its tenant ${tenant} has`, hint);
    }
    this.#trust.set(tenant, { ...known, ...trust });
  }

  #settle(): Map<string, ScenarioAccount> {
    const paths = new Set<string>();
    for (const path of this.#given.keys()) for (const above of upTo(path)) paths.add(above);
    return new Map([...paths].map((path) => [path, this.#account(path, paths)]));
  }

  #account(path: string, paths: ReadonlySet<string>): ScenarioAccount {
    const given = this.#given.get(path);
    const isTenant = !path.includes("/");
    const { trust = "trusted", trustGroup }: TenantTrust = isTenant ? (this.#trust.get(path) ?? {}) : {};
    const guarantee = given === undefined ? this.#sumBelow(path, paths) : (given.guarantee ?? {});
    return { path, weight: 1, trust, ...(trustGroup && { trustGroup }), ...given, guarantee };
  }

  /** An account that the file leaves out holds exactly what its children are guaranteed. */
  #sumBelow(path: string, paths: ReadonlySet<string>): GpuAmounts {
    const sum: Record<string, number> = {};
    for (const child of paths) {
      if (!child.startsWith(`${path}/`) || child.indexOf("/", path.length + 1) >= 0) continue;
      const { guarantee } = this.#account(child, paths);
      for (const model in guarantee) sum[model] = (sum[model] ?? 0) + guarantee[model]!;
    }
    return sum;
  }
}

/** `a/b/c` → `a`, `a/b`, `a/b/c`. */
function upTo(path: string): string[] {
  const names = path.split("/");
  return names.map((_, i) => names.slice(0, i + 1).join("/"));
}

function present<Terms extends object>(terms: Terms): Terms {
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined)) as Terms;
}
