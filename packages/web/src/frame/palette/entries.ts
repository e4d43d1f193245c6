import type { SearchHit, WhoAmI } from "@tessera/wire";
import { rankOf } from "@tessera/wire/match";
import { spell } from "../../format/times.ts";
import { allPages } from "../pages.ts";
import type { Recent } from "./recent.ts";
import { type Deed, fits, readVerb, type Verb, verbsFor } from "./verbs.ts";

/** Commands of the console itself. */
export type Command = "theme" | "zone" | "help" | "sign-out";

/** What choosing an entry does. */
export type Choice =
  | { readonly go: string }
  | { readonly type: string }
  | { readonly run: Command }
  | { readonly deed: Deed; readonly hit: SearchHit };

/** A line of the palette. */
export interface Entry {
  readonly key: string;
  readonly label: string;
  readonly about: string;
  readonly choice: Choice;
  /** Kept as chosen; absent for what only leads on inside the palette. */
  readonly recent?: Recent;
}

const actsOnFirst = 4;

/** What begins with a form of its own; its address opens the form. */
const deeds = [
  { label: "New user", href: "/people?open=user", needs: "user.write" },
  { label: "New account", href: "/quota?open=account", needs: "account.write" },
  { label: "Set a budget", href: "/cost/budgets?open=budget", needs: "budget.write" },
  { label: "Post a ledger entry", href: "/cost/ledger?open=ledger+entry", needs: "bill.write" },
  { label: "Set a contract", href: "/cost/contracts?open=contract", needs: "price.write" },
  { label: "Close a month", href: "/cost/close", needs: "bill.write" },
  { label: "Add a price list", href: "/settings/prices", needs: "price.write" },
  { label: "Change the policy", href: "/settings", needs: "policy.write" },
  { label: "Ask what if", href: "/fleet/what-if", needs: "policy.write" },
  { label: "Add an engine", href: "/fleet/engines?open=new+engine", needs: "engine.write" },
  { label: "New pool", href: "/fleet/pools?open=pool", needs: "pool.write" },
  { label: "Add a sign-in provider", href: "/settings/providers?open=provider", needs: "provider.write" },
] as const;

/** What the palette lists for a text: of the console itself, of what the server found, and what can be done with it. */
export function entriesFor(
  me: WhoAmI,
  text: string,
  found: readonly SearchHit[],
  recent: readonly Recent[],
): readonly Entry[] {
  const typed = text.trim();
  if (typed === "") return unique([...recent.map(recentEntry), ...ownEntries(me)]);
  // A thing that is named is opened: an act that was done to it comes up only where its verb is typed.
  const before = recent.filter(({ text: act = "" }) => act === "" || begins(act, typed)).map(recentEntry);
  const { verbs } = readVerb(verbsFor(me), text);
  if (verbs.length > 0)
    return unique([
      ...matching(before, typed),
      ...found.flatMap((hit) => actsOn(me, verbs, hit)),
      ...matching(ownEntries(me), typed),
    ]);
  const [first] = found;
  const acts = first === undefined ? [] : actsOn(me, verbsFor(me), first).slice(0, actsOnFirst);
  return unique([...matching(before, typed), ...matching(ownEntries(me), typed), ...found.map(thingEntry), ...acts]);
}

/** What the server is asked: the kind of a verb alone, without the verb. */
export function askFor(me: WhoAmI, text: string): { readonly q: string; readonly kind?: SearchHit["kind"] } {
  const { verbs, rest } = readVerb(verbsFor(me), text);
  return verbs.length === 0 ? { q: text.trim() } : { q: rest, kind: verbs[0]!.kind };
}

/** Answers to a shorter text, until those to this one arrive: only what still matches, in the same order. */
export function stillMatching(found: readonly SearchHit[], q: string): readonly SearchHit[] {
  return found.filter(({ name, id }) => rankOf(name, q) !== undefined || rankOf(id, q) !== undefined);
}

function begins(text: string, typed: string): boolean {
  return text.toLowerCase().startsWith(typed.toLowerCase());
}

function matching(entries: readonly Entry[], typed: string): Entry[] {
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry.label, typed) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((a, b) => a.rank! - b.rank!)
    .map(({ entry }) => entry);
}

function unique(entries: readonly Entry[]): Entry[] {
  const seen = new Map<string, Entry>();
  for (const entry of entries) {
    // What was typed before and is found again can be done at once, in its place.
    const before = seen.get(entry.key);
    if (before === undefined || "type" in before.choice) seen.set(entry.key, entry);
  }
  return [...seen.values()];
}

/** Pages, commands and the begin of each action. */
function ownEntries(me: WhoAmI): Entry[] {
  const pages = allPages(me).map(({ href, label }) => goEntry(label, "page", href));
  const commands: Entry[] = [
    ...(me.may.includes("job.submit") ? [goEntry("New job", "action", "/new")] : []),
    ...deeds.flatMap(({ label, href, needs }) => (me.may.includes(needs) ? [goEntry(label, "action", href)] : [])),
    commandEntry("theme", "Switch theme"),
    commandEntry("zone", "Switch times between local and UTC"),
    commandEntry("help", "Keyboard help"),
    commandEntry("sign-out", "Sign out"),
  ];
  const begun = verbsFor(me).map(
    (verb): Entry => ({
      key: `verb ${verb.words}`,
      label: `${capital(verb.words)} …`,
      about: `action on ${verb.kind === "account" ? "an" : "a"} ${verb.kind}`,
      choice: { type: `${verb.words} ` },
    }),
  );
  return [...pages, ...commands, ...begun];
}

function goEntry(label: string, about: string, go: string): Entry {
  return { key: keyOf(label, go), label, about, choice: { go }, recent: { label, about, href: go } };
}

function commandEntry(run: Command, label: string): Entry {
  return { key: `command ${run}`, label, about: "action", choice: { run } };
}

function thingEntry(hit: SearchHit): Entry {
  const { address, name, kind, about } = hit;
  const what = about === kind ? kind : `${kind}, ${about}${sinceWhen(hit)}`;
  const recent = { label: name, about: kind, href: address };
  return { key: keyOf(name, address), label: name, about: what, choice: { go: address }, recent };
}

function recentEntry(recent: Recent): Entry {
  const { label, about, href, text } = recent;
  const choice = href === undefined ? { type: text ?? label } : { go: href };
  return { key: keyOf(label, href ?? text ?? ""), label, about: `recent, ${about}`, choice, recent };
}

function actsOn(me: WhoAmI, some: readonly Verb[], hit: SearchHit): Entry[] {
  return some.filter((verb) => fits(me, verb, hit)).map((verb) => actEntry(verb, hit));
}

function actEntry({ words, does }: Verb, hit: SearchHit): Entry {
  const label = `${capital(words)} ${hit.name}`;
  const about = hit.about === hit.kind ? "action" : `action, ${hit.about}${sinceWhen(hit)}`;
  if (typeof does !== "string") return { ...goEntry(label, "action", does(hit)), about };
  const text = `${words} ${hit.name}`;
  // Chosen again, it is typed again, so that it is looked at and asked about again.
  return {
    key: keyOf(label, text),
    label,
    about,
    choice: { deed: does, hit },
    recent: { label, about: "action", text },
  };
}

/** When a job was submitted: the runs of one name differ in nothing else. */
function sinceWhen({ submittedAt }: SearchHit): string {
  return submittedAt === undefined ? "" : `, submitted ${spell(submittedAt)}`;
}

function keyOf(label: string, where: string): string {
  return `${label} ${where}`;
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
