import type { EngineCreate, EngineEdit, EngineShape } from "@tessera/wire";
import { readDuration } from "@tessera/wire/duration";
import { tess } from "../../format/command.ts";
import { readPairs, writePairs } from "../../format/pairs.ts";

/** An engine as it is typed, without its credentials. */
export interface EngineDraft {
  readonly name: string;
  readonly kind: EngineCreate["kind"];
  readonly settings: string;
  /** `never`: its jobs are waited for. */
  readonly lostAfter: string;
}

export function draftOf(engine: EngineShape | undefined): EngineDraft {
  return {
    name: engine?.name ?? "",
    kind: engine?.kind === "simulated" ? "simulated" : "kubernetes",
    settings: writePairs(engine?.settings ?? {}),
    lostAfter: engine === undefined ? "never" : (engine.lostAfter ?? "never"),
  };
}

type Wrong = Readonly<Partial<Record<"name" | "settings" | "lostAfter", string>>>;

/** What is wrong with what was typed, by field. */
export function wrongIn({ name, settings, lostAfter }: EngineDraft): Wrong {
  const pairs = readPairs(settings);
  return {
    ...(name !== "" &&
      !/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(name) && {
        name: `${name} is not a name: use lower-case letters, digits and -, at most 40.`,
      }),
    ...("wrong" in pairs && { settings: pairs.wrong }),
    ...(lostAfter !== "never" &&
      readDuration(lostAfter) === undefined && {
        lostAfter: `${lostAfter || "It"} is not a duration: type 10m or 2h, or never.`,
      }),
  };
}

function pairsOf(settings: string): Record<string, string> {
  const read = readPairs(settings);
  return "pairs" in read ? read.pairs : {};
}

/** A new engine as the API takes it. */
export function createBody(draft: EngineDraft, kubeconfig: string): EngineCreate {
  const settings = pairsOf(draft.settings);
  return {
    ...{ name: draft.name, kind: draft.kind },
    ...(kubeconfig !== "" && { kubeconfig }),
    ...(Object.keys(settings).length > 0 && { settings }),
    lostAfter: draft.lostAfter === "never" ? null : draft.lostAfter,
  };
}

/** What the person changed of an engine; a setting that is no longer there is taken away. Undefined = nothing. */
export function editBody(first: EngineDraft, draft: EngineDraft, kubeconfig: string): EngineEdit | undefined {
  const before = pairsOf(first.settings);
  const now = pairsOf(draft.settings);
  const settings: Record<string, string | null> = {};
  for (const [name, value] of Object.entries(now)) if (before[name] !== value) settings[name] = value;
  for (const name of Object.keys(before)) if (!Object.hasOwn(now, name)) settings[name] = null;
  const body: EngineEdit = {
    ...(kubeconfig !== "" && { kubeconfig }),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(draft.lostAfter !== first.lostAfter && { lostAfter: draft.lostAfter === "never" ? null : draft.lostAfter }),
  };
  return Object.keys(body).length === 0 ? undefined : body;
}

/** The same on the command line: all of a new engine, or what is changed of one. FILE stands for what was pasted. */
export function engineCommand(name: string, kind: EngineCreate["kind"] | undefined, body: EngineEdit): string {
  const { kubeconfig, settings = {}, lostAfter } = body;
  return tess([
    "engine",
    kind === undefined ? "edit" : "create",
    name || "NAME",
    ...(kind === undefined ? [] : ["--kind", kind]),
    ...(kubeconfig !== undefined || kind === "kubernetes" ? ["--kubeconfig", "FILE"] : []),
    ...Object.entries(settings).flatMap(([setting, value]) => ["--set", `${setting}=${value ?? ""}`]),
    ...(lostAfter === undefined ? [] : ["--lost-after", lostAfter ?? "never"]),
  ]);
}
