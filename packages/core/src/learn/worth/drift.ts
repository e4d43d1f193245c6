/** Standard deviations of the test that are attributed to chance. */
const chanceDeviations = 2;
/** The squared distance of two mixes, by chi-square, from which on the past predicts little. */
const fullDistance = 0.08;
/** With fewer arrivals no drift is reported. */
const arrivalsMin = 40;

/**
 * How far the arrivals since an earlier time differ from those before it, beyond chance: 0 for samples of one mix, 1 for
 * a mix that changes. `early` counts the arrivals by shape up to that time, `all` those up to now.
 */
export function drift(early: readonly number[], all: readonly number[]): number {
  let before = 0;
  let total = 0;
  for (let at = 0; at < all.length; at++) {
    before += early[at] ?? 0;
    total += all[at]!;
  }
  const since = total - before;
  if (total < arrivalsMin || before === 0 || since === 0) return 0;
  let difference = 0;
  let kinds = 0;
  for (let at = 0; at < all.length; at++) {
    if (all[at] === 0) continue;
    const was = early[at] ?? 0;
    const off = was * since - (all[at]! - was) * before;
    difference += (off * off) / (all[at]! * before * since);
    kinds++;
  }
  const beyondChance = difference - kinds - chanceDeviations * Math.sqrt(2 * kinds);
  // Normalised to parts of equal length, so that two mixes have the same distance wherever the cut is.
  const distance = (beyondChance * total) / (4 * before * since);
  return Math.min(1, Math.max(0, distance / fullDistance));
}
