/** The map within a map, made when it is first asked for. */
export function innerOf<Outer, Key, Value>(maps: Map<Outer, Map<Key, Value>>, of: Outer): Map<Key, Value> {
  let inner = maps.get(of);
  if (inner === undefined) {
    inner = new Map();
    maps.set(of, inner);
  }
  return inner;
}
