import {
  type AccountTerms,
  type Command,
  gpusToUnits,
  isRefusal,
  movesPerHourPlain,
  type Policy,
  parseDuration,
  type Quota,
  type State,
} from "@tessera/core";
import { BadInput } from "@tessera/sim";
import { FleetChange } from "./fleet.ts";

/** What should have been otherwise, as it was typed. */
export interface ChangeText {
  /** `quota.research/nlp.guarantee.H100=512` */
  readonly sets: readonly string[];
  /** `rebalance=off` */
  readonly policies: readonly string[];
  /** `4x8:H100`: nodes that are added; `-4x8:H100`: that were not there. */
  readonly nodes: readonly string[];
  /** Each account only its own guarantee, nothing lent: see `hardQuota`. */
  readonly hardQuotas?: boolean;
}

interface QuotaSet {
  readonly text: string;
  readonly path: string;
  readonly amend: (quota: Quota) => Quota;
}

/**
 * Another quota, policy or fleet: it holds from the beginning, and whatever the past did to the same account, policy
 * or fleet later is done with it in place.
 */
export class Change {
  readonly #sets: readonly QuotaSet[];
  readonly #policies: readonly string[];
  readonly #fleet: FleetChange;
  readonly #hard: boolean;
  /** The accounts that a set was found for. */
  readonly #met = new Set<string>();

  constructor({ sets, policies, nodes, hardQuotas = false }: ChangeText) {
    this.#sets = sets.map(parseSet);
    this.#policies = policies;
    this.#fleet = new FleetChange(nodes);
    this.#hard = hardQuotas;
  }

  /** What changes what is there already. Accounts that grow come from above, those that shrink from below. */
  initial(state: State): Command[] {
    const commands: Command[] = [];
    const facts = state.fleet.nodes.flatMap((node) => (node === undefined ? [] : [node.facts]));
    const nodes = this.#fleet.amend(facts);
    if (nodes !== facts) commands.push({ kind: "node.register", nodes });
    if (this.#policies.length > 0) commands.push({ kind: "policy.set", policy: this.#policy(state.policy) });
    const named = this.#hard ? state.accountByPath.keys() : this.#sets.map(({ path }) => path);
    const paths = [...new Set(named)].filter((path) => path !== "" && state.accountByPath.has(path));
    const [grows, shrinks]: [Command[], Command[]] = [[], []];
    for (const path of paths.sort((a, b) => depthOf(a) - depthOf(b))) {
      const { terms: old } = state.accountByPath.get(path)!;
      const terms = this.#terms(path, old);
      const edit = { kind: "account.edit", path, terms } as const;
      if (promised(terms) >= promised(old)) grows.push(edit);
      else shrinks.unshift(edit);
    }
    return [...commands, ...grows, ...shrinks];
  }

  /** A command of the past with the change in place. */
  amend(command: Command): Command {
    switch (command.kind) {
      case "account.create":
      case "account.edit":
        return { ...command, terms: this.#terms(command.path, command.terms) };
      case "policy.set":
        return { ...command, policy: this.#policy(command.policy) };
      case "node.register":
        return { ...command, nodes: this.#fleet.amend(command.nodes) };
      default:
        return command;
    }
  }

  /** What was to be otherwise with an account or nodes that there never were. */
  unmet(): string | undefined {
    const set = this.#sets.find(({ path }) => !this.#met.has(path));
    if (set !== undefined) return `--set ${set.text}: there was no such account in that time`;
    return this.#fleet.unmet();
  }

  #terms(path: string, terms: AccountTerms): AccountTerms {
    const sets = this.#sets.filter((set) => set.path === path);
    if (sets.length > 0) this.#met.add(path);
    const quota = sets.reduce((changed, { amend }) => amend(changed), terms.quota);
    if (this.#hard) return { ...terms, quota: hardQuota(path, quota) };
    return sets.length === 0 ? terms : { ...terms, quota };
  }

  #policy(policy: Policy): Policy {
    return this.#policies.reduce(withPolicy, policy);
  }
}

function depthOf(path: string): number {
  return path.split("/").length;
}

const setForm = /^quota\.(.+)\.(guarantee|max|lendable)(?:\.([^.=/]+))?=([0-9.]+|none)$/;
const weightForm = /^quota\.(.+)\.weight=([0-9]{1,6})$/;

function parseSet(text: string): QuotaSet {
  const weight = weightForm.exec(text);
  if (weight !== null) return { text, path: weight[1]!, amend: (quota) => ({ ...quota, weight: Number(weight[2]) }) };
  const match = setForm.exec(text);
  if (match === null) {
    throw new BadInput(
      `--set ${text}: write quota.ACCOUNT.guarantee.MODEL=GPUS (also max, lendable; without a model: of any), or quota.ACCOUNT.weight=N`,
    );
  }
  const [path, field, model, amount] = [match[1]!, match[2] as AmountField, match[3] ?? "*", match[4]!];
  if (amount === "none") {
    if (field === "guarantee") throw new BadInput(`--set ${text}: a guarantee is a number of GPUs; write 0 for none`);
    return { text, path, amend: (quota) => without(quota, field) };
  }
  const units = gpusToUnits(Number(amount), field);
  if (isRefusal(units)) throw new BadInput(`--set ${text}: ${units.detail}`);
  return { text, path, amend: (quota) => ({ ...quota, [field]: { ...quota[field], [model]: units } }) };
}

type AmountField = "guarantee" | "max" | "lendable";

function without(quota: Quota, field: "max" | "lendable"): Quota {
  const { [field]: _gone, ...rest } = quota;
  return rest;
}

/**
 * What an account may hold where nothing is lent: its guarantee. An account without one shares that of the account above it;
 * a tenant without one has nothing.
 */
function hardQuota(path: string, quota: Quota): Quota {
  const total = Object.values(quota.guarantee).reduce((sum, units) => sum + units, 0);
  const own = without(quota, "lendable");
  if (total === 0 && depthOf(path) > 1) return own;
  return { ...own, max: { ...quota.guarantee, "*": total } };
}

function promised({ quota }: AccountTerms): number {
  return Object.values(quota.guarantee).reduce((sum, units) => sum + units, 0);
}

function withPolicy(policy: Policy, text: string): Policy {
  const [key, value = ""] = text.split("=", 2);
  const duration = (): number => {
    const ms = parseDuration(value, key!);
    if (isRefusal(ms)) throw new BadInput(`--policy ${text}: ${ms.detail}`);
    return ms;
  };
  switch (key) {
    case "rebalance":
      if (value === "on" || value === "checkpointed" || value === "off") return { ...policy, rebalance: value };
      break;
    case "backfill":
      if (value === "on" || value === "off") return { ...policy, backfill: value === "on" };
      break;
    case "min-runtime":
      return { ...policy, minRuntimeMs: duration() };
    case "grace":
      return { ...policy, graceMs: duration() };
    case "moves-per-hour":
      if (/^\d{1,7}$/.test(value)) return { ...policy, movesPerHourMax: Number(value) };
      break;
    default:
      break;
  }
  throw new BadInput(
    `--policy ${text}: write rebalance=on|checkpointed|off, backfill=on|off, min-runtime=5m, grace=30s or moves-per-hour=${movesPerHourPlain}`,
  );
}
