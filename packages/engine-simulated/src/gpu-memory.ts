/** As the driver reports it, in MiB. A name that says its size, such as A100-40GB, comes before one that does not. */
const memoryMiBOf: readonly (readonly [name: RegExp, memoryMiB: number])[] = [
  [/^GB200/, 189_471],
  [/^B200/, 183_359],
  [/^H200/, 143_771],
  [/^H100-NVL/, 95_830],
  [/^RTX-PRO-6000/, 97_887],
  [/^A100.*-40GB/, 40_960],
  [/^A30\b/, 24_576],
  [/^L40S?\b/, 46_068],
  [/^L4\b/, 23_034],
  [/^A10\b/, 23_028],
  [/^T4\b/, 15_360],
  [/^V100\b/, 16_384],
  [/^MI300X/, 196_608],
  [/^MI325X/, 262_144],
];

/** That of an H100 or A100, and of models that are not known. */
const usualMiB = 81_920;

/** The memory of a GPU of this model. */
export function gpuMemoryMiB(model: string): number {
  return memoryMiBOf.find(([name]) => name.test(model))?.[1] ?? usualMiB;
}
