/** Whole numbers below `sides` that follow from the seed alone, so that a random test repeats its cases. */
export function diceOf(seed: number): (sides: number) => number {
  let dice = seed;
  return (sides) => {
    dice = (dice * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(dice / 65_536) % sides;
  };
}
