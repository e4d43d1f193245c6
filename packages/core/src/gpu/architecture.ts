/** The properties of a language model that decide how much memory it takes. */
export interface Architecture {
  readonly name: string;
  readonly parameters: number;
  readonly layers: number;
  readonly hidden: number;
  /** A tensor-parallel degree must divide it. */
  readonly kvHeads: number;
  /** Keys and values of one token at 16 bits. */
  readonly kvBytesPerToken: number;
}

const million = 1_000_000;

function known(name: string, millions: number, layers: number, hidden: number, kvHeads: number): Architecture {
  // Keys and values, two bytes each, for each layer and each head of size 128.
  const kvBytesPerToken = 2 * 2 * layers * kvHeads * 128;
  return { name, parameters: millions * million, layers, hidden, kvHeads, kvBytesPerToken };
}

const architectures: readonly Architecture[] = [
  known("llama-2-7b", 6740, 32, 4096, 32),
  known("llama-2-13b", 13_020, 40, 5120, 40),
  known("llama-2-70b", 68_980, 80, 8192, 8),
  known("llama-3-8b", 8030, 32, 4096, 8),
  known("llama-3.1-8b", 8030, 32, 4096, 8),
  known("llama-3-70b", 70_550, 80, 8192, 8),
  known("llama-3.1-70b", 70_550, 80, 8192, 8),
  known("llama-3.3-70b", 70_550, 80, 8192, 8),
  known("llama-3.1-405b", 405_850, 126, 16_384, 8),
  known("starcoder2-15b", 15_960, 40, 6144, 4),
  known("yi-34b", 34_390, 60, 7168, 8),
  known("mistral-7b", 7250, 32, 4096, 8),
  known("mixtral-8x7b", 46_700, 32, 4096, 8),
  known("mixtral-8x22b", 140_600, 56, 6144, 8),
  known("qwen2.5-7b", 7620, 28, 3584, 4),
  known("qwen2.5-14b", 14_770, 48, 5120, 8),
  known("qwen2.5-32b", 32_760, 64, 5120, 8),
  known("qwen2.5-72b", 72_710, 80, 8192, 8),
];

/** The model that a bare size stands for: a widely used one; where generations differ, the one with more memory. */
const usualOfSize: ReadonlyMap<number, string> = new Map([
  [7000, "llama-2-7b"],
  [8000, "llama-3.1-8b"],
  [13_000, "llama-2-13b"],
  [16_000, "starcoder2-15b"],
  [34_000, "yi-34b"],
  [70_000, "llama-3-70b"],
]);

/** The known or assumed architecture of `70B`, `meta-llama/Llama-3.1-8B-Instruct` or `mixtral-8x7b`. */
export function architectureOf(text: string): Architecture | undefined {
  const words = `-${text
    .toLowerCase()
    .replace(/^.*\//, "")
    .replace(/[^a-z0-9.]+/g, "-")}-`;
  const named = architectures.find(({ name }) => words.includes(`-${name}-`));
  if (named !== undefined) return named;
  const size = /-(?:(\d{1,3})x)?(\d{1,5})(?:\.(\d{1,3}))?b-/.exec(words);
  if (size === null) return undefined;
  // The experts of a mixture share some layers; counting those once per expert errs on the safe side.
  const experts = Number(size[1] ?? 1);
  const millions = experts * (Number(size[2]) * 1000 + Number((size[3] ?? "0").padEnd(3, "0")));
  if (millions === 0 || millions > millionsMax) return undefined;
  const usual = usualOfSize.get(millions);
  return architectures.find(({ name }) => name === usual) ?? assumed(millions);
}

/** For larger models the amounts below would no longer be exact integers. */
const millionsMax = 5_000_000;

/** A model of which only the size is known; like current models, several heads share their keys and values. */
function assumed(millions: number): Architecture {
  // Parameters are about 12 · layers · hidden², and hidden about 128 · layers.
  let layers = 1;
  while (12 * 128 * 128 * layers ** 3 < millions * million) layers++;
  return {
    name: `${millions % 1000 === 0 ? millions / 1000 : (millions / 1000).toFixed(3).replace(/0+$/, "")}B`,
    parameters: millions * million,
    layers,
    hidden: 128 * layers,
    kvHeads: 8,
    kvBytesPerToken: Math.ceil((assumedKvKiB(millions) * 1024) / 1000),
  };
}

/** Thousandths of a KiB per token: per billion parameters 16 KiB up to 8 billion, 5 KiB from 70 on, linear between. */
function assumedKvKiB(millions: number): number {
  if (millions <= 8000) return millions * 16;
  if (millions >= 70_000) return millions * 5;
  return 128_000 + Math.ceil(((millions - 8000) * (350_000 - 128_000)) / 62_000);
}
