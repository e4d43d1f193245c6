import type { EngineState } from "@tessera/core";
import { openCredentials } from "./credentials.ts";
import type { Engines } from "./engines.ts";
import type { AddedKind, EngineAsk } from "./kinds.ts";
import { within } from "./patience.ts";

/** An engine that does not say by then what it leads to counts as another: one that is away must not stop the rest. */
const askMsMax = 10_000;

/** The name of another engine that leads to the same cluster. Under two names its GPUs would be counted and leased twice. */
export async function twinOf(engines: Engines, kind: AddedKind, ask: EngineAsk): Promise<string | undefined> {
  if (kind.identify === undefined) return undefined;
  const id = await within(askMsMax, kind.identify(ask));
  const others = [...engines.begun.control.state.engines.values()].filter(({ name }) => name !== ask.name);
  const ids = await Promise.all(others.map((each) => identityOf(engines, each).catch(() => undefined)));
  return others.find((_, i) => ids[i] === id)?.name;
}

async function identityOf(engines: Engines, { name, terms }: EngineState): Promise<string | undefined> {
  const given = engines.given(name);
  if (given !== undefined) return given.identify && within(askMsMax, given.identify());
  const kind = engines.kindOf(terms.kind);
  if (kind?.identify === undefined) return undefined;
  const { vault, control } = engines.begun;
  const credentials = await openCredentials(vault, control.reader, control.state, name);
  if (kind.sealed && credentials === undefined) return undefined;
  const ask = { name, settings: terms.settings, ...(credentials !== undefined && { credentials }) };
  return within(askMsMax, kind.identify(ask));
}
