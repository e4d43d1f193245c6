/** What was found (`{ name, … }`), with its reason where `reasons` has one. */
export function named(found, reasons) {
  return Object.hasOwn(reasons, found.name) ? { ...found, accepted: reasons[found.name] } : found;
}

/** Whether it has no reason, which makes it a fault. */
export function isUnnamed({ accepted }) {
  return accepted === undefined;
}

/** Those of `names` that have a reason and were not found: the reason is out of date. */
export function withoutNeed(names, found, reasons) {
  const present = new Set(found.map(({ name }) => name));
  return names.filter((name) => Object.hasOwn(reasons, name) && !present.has(name));
}
