import { join } from "node:path";
import { type Refusal, refuse } from "@tessera/core";
import type { Engine } from "@tessera/engine";
import type { AddedKind } from "./kinds.ts";

const setting = "fleet";

/** Where a simulated engine keeps what runs while no server is up. */
export function runningFileIn(dataFolder: string, engine: string): string {
  return join(dataFolder, "engines", engine, "running");
}

/** Simulated fleets, for demonstrations: their one setting says what they have, such as 4x8:H100. */
export function simulatedKind<Groups extends readonly { readonly nodes: number; readonly gpus: number }[]>(
  open: (groups: Groups, name: string) => Engine,
  parse: (text: string) => Groups,
): AddedKind {
  const groupsOf = (settings: { readonly [name: string]: string }) => parse(settings[setting] ?? "");
  return {
    sealed: false,
    check: (settings) => check(settings, parse),
    async try({ settings }) {
      const groups = groupsOf(settings);
      const nodes = groups.reduce((sum, group) => sum + group.nodes, 0);
      return { version: "simulated", nodes, gpus: groups.reduce((sum, group) => sum + group.nodes * group.gpus, 0) };
    },
    open: ({ name, settings }) => open(groupsOf(settings), name),
  };
}

function check(settings: { readonly [name: string]: string }, parse: (text: string) => unknown): Refusal | undefined {
  const unknown = Object.keys(settings).find((name) => name !== setting);
  const hint = "give fleet, such as 4x8:H100";
  if (unknown !== undefined)
    return refuse("unknown-field", `settings.${unknown}`, settings[unknown]!, "is not a setting of a simulation", hint);
  const text = settings[setting];
  if (text === undefined) return refuse("invalid", "settings.fleet", null, "is missing", hint);
  try {
    parse(text);
    return undefined;
  } catch (error) {
    return refuse("invalid", "settings.fleet", text, (error as Error).message, hint);
  }
}
