import type { SearchHit, WhoAmI } from "@tessera/wire";
import { type AnyAct, mayDo } from "../../design/may-do.ts";

/** What is done to a thing that was found, after a look at what follows from it. */
export type Deed =
  | "cancel"
  | "hold"
  | "release"
  | "drain"
  | "cordon"
  | "uncordon"
  | "declare-lost"
  | "disable"
  | "enable";

/** A word that begins an action, such as `drain` in `drain virtual-5`. */
export interface Verb {
  readonly words: string;
  readonly kind: SearchHit["kind"];
  /** The action that a role must give somewhere for the verb to be listed at all. */
  readonly needs: string;
  /** The route that the thing itself must allow; absent for what only looks. */
  readonly act?: AnyAct;
  /** States of the thing in which it makes sense; absent = any. */
  readonly states?: readonly (string | undefined)[];
  /** It changes something, or it opens another page of the thing. */
  readonly does: Deed | ((hit: SearchHit) => string);
}

const live = ["waiting", "held", "starting", "running", "stopping"];
const job = { kind: "job", needs: "job.control" } as const;
const node = { kind: "node", needs: "node.write" } as const;
const user = { kind: "user", needs: "user.write" } as const;

export const verbs: readonly Verb[] = [
  { words: "cancel", ...job, states: live, act: "cancelJob", does: "cancel" },
  { words: "hold", ...job, states: ["waiting"], act: "holdJob", does: "hold" },
  { words: "release", ...job, states: ["held"], act: "releaseJob", does: "release" },
  {
    words: "why waits",
    kind: "job",
    needs: "job.read",
    states: ["waiting", "held"],
    does: ({ id }) => `/jobs/${id}/why`,
  },
  { words: "logs of", kind: "job", needs: "job.logs", does: ({ id }) => `/jobs/${id}/logs` },
  { words: "run again", kind: "job", needs: "job.submit", does: ({ id }) => `/new?from=${id}` },
  { words: "drain", ...node, states: ["up", "cordoned"], act: "drainNode", does: "drain" },
  { words: "cordon", ...node, states: ["up"], act: "cordonNode", does: "cordon" },
  {
    words: "uncordon",
    ...node,
    states: ["cordoned", "draining", "maintenance", "down"],
    act: "upNode",
    does: "uncordon",
  },
  {
    words: "declare lost",
    ...node,
    states: ["up", "cordoned", "draining", "unknown"],
    act: "downNode",
    does: "declare-lost",
  },
  { words: "disable user", ...user, states: [undefined], act: "disableUser", does: "disable" },
  { words: "enable user", ...user, states: ["disabled"], act: "enableUser", does: "enable" },
  { words: "quota of", kind: "account", needs: "account.read", does: ({ id }) => `/quota/${id}` },
  { words: "jobs of", kind: "account", needs: "job.read", does: ({ id }) => `/jobs?account=${encodeURIComponent(id)}` },
  {
    words: "cost of",
    kind: "account",
    needs: "usage.read",
    does: ({ id }) => `/cost?account=${encodeURIComponent(id)}`,
  },
];

/** Verbs that this person may use at all. */
export function verbsFor(me: WhoAmI): readonly Verb[] {
  return verbs.filter(({ needs }) => me.may.includes(needs));
}

/** The verbs that a text begins with, and what follows; `disable ana` means `disable user ana`. */
export function readVerb(
  known: readonly Verb[],
  text: string,
): { readonly verbs: readonly Verb[]; readonly rest: string } {
  const typed = text.trimStart().toLowerCase();
  const whole = known.filter(({ words }) => typed.startsWith(`${words} `));
  if (whole.length > 0) return { verbs: whole, rest: typed.slice(whole[0]!.words.length).trim() };
  const [first = "", ...others] = typed.split(" ");
  const byFirst = known.filter(({ words }) => words.split(" ")[0] === first);
  const rest = others.join(" ").trim();
  return rest === "" || byFirst.length === 0 ? { verbs: [], rest: "" } : { verbs: byFirst, rest };
}

/** Whether a verb can be offered for what was found. */
export function fits(me: WhoAmI, verb: Verb, hit: SearchHit): boolean {
  if (verb.kind !== hit.kind || !(verb.states?.includes(hit.state) ?? true)) return false;
  if (verb.does === "disable" && hit.id === me.user) return false;
  return verb.act === undefined || mayDo(verb.act, hit);
}
