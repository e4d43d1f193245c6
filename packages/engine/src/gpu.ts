/**
 * The short name of a product, as people write it in a job: `NVIDIA H100 80GB HBM3` is `H100-80GB`. The form factor
 * and the memory type are left out; the size stays, because two sizes of one model are not the same offer.
 */
export function gpuModelOf(product: string): string {
  const words = product
    .replace(/[^A-Za-z0-9.]+/g, " ")
    .trim()
    .split(" ")
    .filter((word) => !noise.test(word));
  return words.length === 0 ? "unknown" : words.join("-");
}

const noise = /^(NVIDIA|Tesla|Quadro|GeForce|Graphics|Device|HBM\d*e?|SXM\d*|PCIe|Generation|DRIVE)$/i;

/** What `nvidia-smi` shows for common models; 16 GiB for a model that is not here. */
const memoryMiBByModel: { readonly [model: string]: number } = {
  B300: 275_040,
  B200: 183_359,
  H200: 143_771,
  H100: 81_559,
  "A100-40GB": 40_960,
  A100: 81_920,
  L40S: 46_068,
  L40: 46_068,
  A40: 46_068,
  L4: 23_034,
  A10: 23_028,
  V100: 32_768,
  T4: 15_360,
};

/** Memory of a GPU that does not say so itself: the model itself, else the longest known name that it begins with (`H100-80GB` is an `H100`). */
export function usualMemoryMiB(model: string): number {
  const known = Object.keys(memoryMiBByModel)
    .filter((name) => model === name || model.startsWith(`${name}-`))
    .sort((a, b) => b.length - a.length)[0];
  return known === undefined ? 16_384 : memoryMiBByModel[known]!;
}
