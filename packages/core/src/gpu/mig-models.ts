import { unitsPerGpu } from "../model/units.ts";

/**
 * How a GPU model can be partitioned by MIG. A model has a grid of compute slices and memory slices; a profile takes some
 * of the first and a contiguous run of the second, from one of its legal starts. Models of one architecture differ only
 * in the memory per slice, so the geometry is written once and each model adds its sizes.
 */
export interface MigModel {
  readonly key: string;
  readonly grid: MigGrid;
  /** The memory that the whole device reports; from its name where no listing is known. */
  readonly memoryMiB: number;
  /** Smallest first: by memory, then compute, then plain before its variants. */
  readonly profiles: readonly MigProfile[];
  readonly profileByName: ReadonlyMap<string, MigProfile>;
}

export interface MigProfile {
  readonly name: string;
  /** Its index in the grid's shapes; variants with other media engines share it. */
  readonly shape: number;
  readonly computeSlices: number;
  readonly memorySlices: number;
  readonly starts: readonly number[];
  /** Without a suffix: the variant for a job that names no profile. */
  readonly plain: boolean;
  /** The media engines that it takes: bits of `media`. */
  readonly media: number;
  /**
   * Usable memory as drivers list it, rounded down. Where no listing is known, seven eighths of the size in the name: no
   * known listing is lower, so the scheduler never counts on memory that the driver does not provide.
   */
  readonly memoryMiB: number;
  /** In units [U1]. */
  readonly compute: number;
  readonly memory: number;
}

export interface MigShape {
  readonly computeSlices: number;
  readonly memorySlices: number;
  readonly starts: readonly number[];
  /** The suffixes of its variants; "" is the plain one. */
  readonly endings: readonly string[];
}

export interface MigGrid {
  readonly computeSlices: number;
  readonly memorySlices: number;
  readonly shapes: readonly MigShape[];
}

/**
 * Engines for video and pictures. Plain profiles have a part of them; the JPEG and optical-flow set exists once, so at
 * most one instance on a GPU can hold it (`+me`); `+me.all` holds all engines and leaves only `-me` for the others.
 */
export const media = { some: 1, set: 2, all: 4 } as const;

const mediaOf: { readonly [ending: string]: number } = {
  "": media.some,
  "+gfx": media.some,
  "-me": 0,
  "+me": media.some | media.set,
  "+me.all": media.some | media.set | media.all,
};

function shape(computeSlices: number, memorySlices: number, starts: readonly number[], endings = [""]): MigShape {
  return { computeSlices, memorySlices, starts, endings };
}

const sevenths: MigGrid = {
  computeSlices: 7,
  memorySlices: 8,
  shapes: [
    shape(1, 1, [0, 1, 2, 3, 4, 5, 6], ["", "+me"]),
    shape(1, 2, [0, 2, 4, 6]),
    shape(2, 2, [0, 2, 4]),
    shape(3, 4, [0, 4]),
    shape(4, 4, [0]),
    shape(7, 8, [0]),
  ],
};

function quarters(one: readonly string[], two: readonly string[], four: readonly string[]): MigGrid {
  const shapes = [
    shape(1, 1, [0, 1, 2, 3], ["", ...one]),
    shape(2, 2, [0, 2], ["", ...two]),
    shape(4, 4, [0], ["", ...four]),
  ];
  return { computeSlices: 4, memorySlices: 4, shapes };
}

/** `gb` in the names, then usable MiB, of profiles with 1, 2, 4 (and 8) memory slices; 0 = no listing known. */
function model(
  key: string,
  grid: MigGrid,
  memoryMiB: number,
  gb: readonly number[],
  usableMiB: readonly number[] = [],
): MigModel {
  const profiles = grid.shapes.flatMap(({ computeSlices, memorySlices, starts, endings }, shapeNo) =>
    endings.map((ending): MigProfile => {
      const step = 31 - Math.clz32(memorySlices);
      return {
        name: `${computeSlices}g.${gb[step]!}gb${ending}`,
        shape: shapeNo,
        computeSlices,
        memorySlices,
        starts,
        plain: ending === "",
        media: mediaOf[ending]!,
        memoryMiB: usableMiB[step] || (gb[step]! * 1024 * 7) / 8,
        compute: (computeSlices * unitsPerGpu) / grid.computeSlices,
        memory: (memorySlices * unitsPerGpu) / grid.memorySlices,
      };
    }),
  );
  return { key, grid, memoryMiB, profiles, profileByName: new Map(profiles.map((each) => [each.name, each])) };
}

// The RTX PRO 5000 and 4500 have MIG too, but no listing of their legal starts was found: they count as having none.
export const migModels: readonly MigModel[] = [
  model("A30-24GB", quarters(["+me"], ["+me"], []), 24_576, [6, 12, 24], [5949, 11_970, 24_002]),
  model("A100-80GB", sevenths, 81_920, [10, 20, 40, 80], [9850, 19_968, 40_192, 80_384]),
  model("A100-40GB", sevenths, 40_960, [5, 10, 20, 40], [4864, 9850, 19_968, 40_192]),
  model("H100-80GB", sevenths, 81_559, [10, 20, 40, 80], [9984, 20_090, 40_448, 81_152]),
  model("H100-NVL-94GB", sevenths, 95_830, [12, 24, 47, 94], [11_008, 22_138, 47_493, 95_354]),
  model("H100-96GB", sevenths, 97_871, [12, 24, 48, 96]),
  model("H200-141GB", sevenths, 143_771, [18, 35, 71, 141], [16_384, 33_280, 71_424, 143_360]),
  model("GH200-144GB", sevenths, 147_456, [18, 36, 72, 144], [17_920, 36_096, 0, 0]),
  model("B200-180GB", sevenths, 183_359, [23, 45, 90, 180], [22_528, 45_312, 0, 0]),
  model("GB200-186GB", sevenths, 189_471, [23, 47, 93, 186], [22_528, 46_592, 0, 0]),
  model("B300-269GB", sevenths, 275_456, [34, 67, 135, 269]),
  model("GB300-278GB", sevenths, 284_672, [35, 70, 139, 278]),
  model(
    "RTX-PRO-6000-BLACKWELL-96GB",
    quarters(["+me", "+gfx", "+me.all", "-me"], ["+gfx", "+me.all", "-me"], ["+gfx"]),
    97_887,
    [24, 48, 96],
    [24_186, 48_517, 97_280],
  ),
];

/** Models by the family names that people and drivers use; the first is the default of the family. */
const families: ReadonlyMap<string, readonly MigModel[]> = new Map(
  Object.entries({
    A30: ["A30-24GB"],
    A100: ["A100-80GB", "A100-40GB"],
    A800: ["A100-80GB", "A100-40GB"],
    H100: ["H100-80GB", "H100-NVL-94GB", "H100-96GB"],
    H800: ["H100-80GB", "H100-NVL-94GB"],
    H20: ["H100-96GB"],
    H200: ["H200-141GB"],
    GH200: ["H100-96GB", "GH200-144GB"],
    B200: ["B200-180GB"],
    GB200: ["GB200-186GB"],
    B300: ["B300-269GB"],
    GB300: ["GB300-278GB"],
    "RTX-PRO-6000": ["RTX-PRO-6000-BLACKWELL-96GB"],
  }).map(([family, keys]) => [family, keys.map((key) => migModels.find((each) => each.key === key)!)]),
);

const byKey: ReadonlyMap<string, MigModel> = new Map(migModels.map((each) => [each.key, each]));

/**
 * The MIG table of a device; undefined if it has no MIG. `H100` is an `H100-80GB` by default: the size in the name
 * decides first, then the memory that the device reports.
 */
export function migModelOf(name: string, memoryMiB = 0): MigModel | undefined {
  const exact = byKey.get(name);
  if (exact !== undefined) return exact;
  const family = families.get(name);
  return family === undefined ? migModelByWords(name, memoryMiB) : nearest(family, memoryMiB);
}

function migModelByWords(name: string, memoryMiB: number): MigModel | undefined {
  const words = name.toUpperCase().split(/[^A-Z0-9]+/);
  if (words[0] === "NVIDIA") words.shift();
  const family = families.get(words[0]!) ?? families.get(words.slice(0, 3).join("-"));
  if (family === undefined) return undefined;
  const sizes = words.filter((word) => /^\d+GB?$/.test(word)).map((word) => Number.parseInt(word, 10));
  const sized = family.find(({ key }) => sizes.some((gb) => key.endsWith(`-${gb}GB`)));
  if (sized !== undefined) return sized;
  return family.find(({ key }) => words.includes("NVL") && key.includes("-NVL-")) ?? nearest(family, memoryMiB);
}

function nearest(family: readonly MigModel[], memoryMiB: number): MigModel {
  if (memoryMiB === 0) return family[0]!;
  const far = (each: MigModel) => Math.abs(each.memoryMiB - memoryMiB);
  return family.reduce((best, each) => (far(each) < far(best) ? each : best));
}
