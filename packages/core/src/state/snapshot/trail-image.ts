import type { Trail } from "../trail.ts";

/** The trail as a snapshot holds it; what is empty is absent. */
export interface TrailImage {
  readonly keys?: Trail["keys"];
  readonly privates?: readonly (readonly [string, string])[];
  readonly anchors?: readonly (readonly [string, Trail["anchors"] extends Map<string, infer Value> ? Value : never])[];
  readonly held?: readonly (readonly [string, string])[];
  readonly witnessed?: readonly (readonly [
    string,
    Trail["witnessed"] extends Map<string, infer Value> ? Value : never,
  ])[];
}

/** Undefined where there is none. */
export function trailImage({ keys, privates, anchors, held, witnessed }: Trail): TrailImage | undefined {
  if (keys.length + privates.size + anchors.size + held.size + witnessed.size === 0) return undefined;
  return {
    ...(keys.length > 0 && { keys }),
    ...(privates.size > 0 && { privates: byKey(privates) }),
    ...(anchors.size > 0 && { anchors: byKey(anchors) }),
    ...(held.size > 0 && { held: byKey(held) }),
    ...(witnessed.size > 0 && { witnessed: byKey(witnessed) }),
  };
}

export function readTrail(trail: Trail, image: TrailImage): void {
  trail.keys.push(...(image.keys ?? []));
  for (const [id, digest] of image.privates ?? []) trail.privates.set(id, digest);
  for (const [id, anchor] of image.anchors ?? []) trail.anchors.set(id, anchor);
  for (const [key, of] of image.held ?? []) trail.held.set(key, of);
  for (const [origin, head] of image.witnessed ?? []) trail.witnessed.set(origin, head);
}

function byKey<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
