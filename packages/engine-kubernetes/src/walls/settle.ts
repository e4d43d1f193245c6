import { isDeepStrictEqual } from "node:util";
import type { ApiClient } from "../api/client.ts";
import { isStatus } from "../api/error.ts";
import type { KubeObject } from "../api/types.ts";
import { pathOf, type WallObject } from "./object.ts";

const attemptsMax = 4;

/** Makes an object as it should be: creates it, or writes over what others made of it. */
export async function settle(client: ApiClient, wanted: WallObject): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const found = await read(client, pathOf(wanted));
      if (found === undefined) await client.post(collection(wanted), wanted);
      else if (differs(found, wanted)) await client.put(pathOf(wanted), over(found, wanted));
      return;
    } catch (error) {
      // Changed or made between reading and writing: look again.
      if (!isStatus(error, 409) || attempt === attemptsMax) throw error;
    }
  }
}

export async function read<T extends KubeObject>(client: ApiClient, path: string): Promise<T | undefined> {
  try {
    return await client.get<T>(path);
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

/**
 * Whether an object is not as it should be. Labels and annotations of others may stand beside ours; everything else that we
 * write is ours alone, so that a rule which was added is seen like one that was taken away.
 */
export function differs(found: KubeObject, wanted: WallObject): boolean {
  const { metadata, apiVersion: _, kind: __, ...fields } = wanted;
  const has = (part: "labels" | "annotations") =>
    Object.entries(metadata[part] ?? {}).every(([name, value]) => found.metadata[part]?.[name] === value);
  if (!has("labels") || !has("annotations")) return true;
  const known: Readonly<Record<string, unknown>> = { ...found };
  return Object.entries(fields).some(([name, value]) => !isDeepStrictEqual(known[name], value));
}

/** A namespace belongs to more than us: what others wrote there stays, but for annotations of ours that we no longer set. */
function over(found: KubeObject, wanted: WallObject): object {
  const kept = Object.entries(found.metadata.annotations ?? {}).filter(([name]) => !name.startsWith("tessera.dev/"));
  return {
    ...(wanted.kind === "Namespace" && found),
    ...wanted,
    metadata: {
      ...found.metadata,
      labels: { ...found.metadata.labels, ...wanted.metadata.labels },
      annotations: { ...Object.fromEntries(kept), ...wanted.metadata.annotations },
    },
  };
}

function collection(object: WallObject): string {
  return pathOf(object).slice(0, -object.metadata.name.length - 1);
}
