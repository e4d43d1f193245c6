/** The inner map under `key` of a map of maps; added where it is missing. */
export function innerMap<Outer, Key, Value>(maps: Map<Outer, Map<Key, Value>>, key: Outer): Map<Key, Value> {
  let inner = maps.get(key);
  if (inner === undefined) {
    inner = new Map();
    maps.set(key, inner);
  }
  return inner;
}
