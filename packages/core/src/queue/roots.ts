const roots = new Map<number, number>();

/** The tenth root of a whole number in thousandths, rounded up. Math.pow may differ between machines; this does not. */
export function tenthRoot(value: number): number {
  const known = roots.get(value);
  if (known !== undefined) return known;
  let root = 1_000;
  while (tenthPower(root / 1_000) < value) root++;
  roots.set(value, root);
  return root;
}

function tenthPower(value: number): number {
  const squared = value * value;
  const fourth = squared * squared;
  return fourth * fourth * squared;
}
