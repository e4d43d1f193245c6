import { type MigGrid, type MigModel, type MigProfile, media } from "./mig-models.ts";

/** The slices and engines of a GPU that MIG instances hold. */
export interface MigUse {
  /** One bit for each memory slice. */
  readonly slots: number;
  /** Compute slices. */
  readonly compute: number;
  /** Bits of `media`. */
  readonly media: number;
}

export const uncut: MigUse = { slots: 0, compute: 0, media: 0 };

/** The use after one more instance. Throws if it is not legal there: two instances never overlap [S2]. */
export function withInstance({ grid }: MigModel, use: MigUse, profile: MigProfile, start: number): MigUse {
  if (!isLegal(grid, use, profile, start)) throw new Error(`${profile.name} cannot start at ${start} on this GPU`);
  return {
    slots: use.slots | maskOf(profile.memorySlices, start),
    compute: use.compute + profile.computeSlices,
    media: use.media | profile.media,
  };
}

/**
 * The start that keeps the most options open. First, one after which the rest of the vendor's balanced layout still fits:
 * otherwise small instances that come first would exclude a 3g beside a 2g. Then the one after which the most different
 * sets of further instances fit. In a tie the highest: slot 0 is the only start of the largest profiles and 2g cannot
 * start at 6, so a high start excludes least. -1 if there is no legal start.
 */
export function bestStart({ grid }: MigModel, use: MigUse, profile: MigProfile): number {
  if (!enginesAgree(use.media, profile.media)) return -1;
  const known = tablesOf(grid).best;
  const state = stateOf(grid, use.slots, use.compute);
  const index = (profile.shape << stateBits(grid)) | state;
  if (known[index] === unknown) known[index] = findBestStart(grid, use, profile);
  return known[index]!;
}

function findBestStart(grid: MigGrid, use: MigUse, profile: MigProfile): number {
  let best = -1;
  let most = -1;
  for (const start of profile.starts) {
    if (!isLegal(grid, use, profile, start)) continue;
    const slots = use.slots | maskOf(profile.memorySlices, start);
    const futures = futuresOf(grid, slots, use.compute + profile.computeSlices);
    const balanced = restsOfBalanced(grid, grid.computeSlices - use.compute - profile.computeSlices);
    const left = futures.size + (balanced.some((rest) => futures.has(rest)) ? 1_000 : 0);
    if (left < most) continue;
    best = start;
    most = left;
  }
  return best;
}

/** Two 1g, one 2g and, where there are seven slices, one 3g: by compute slices. */
const balancedLayout = [1, 1, 2, 3];

/** The subsets of the balanced layout with this many compute slices, encoded like the sets of `futuresOf`. */
function restsOfBalanced(grid: MigGrid, compute: number): number[] {
  const rests: number[] = [];
  const layout = balancedLayout.filter((slices) => plainShape(grid, slices) >= 0);
  for (let choice = 0; choice < 1 << layout.length; choice++) {
    const chosen = layout.filter((_, i) => (choice & (1 << i)) !== 0);
    if (chosen.reduce((sum, slices) => sum + slices, 0) !== compute) continue;
    rests.push(chosen.reduce((set, slices) => set + (1 << (3 * plainShape(grid, slices))), 0));
  }
  return rests;
}

/** The shape with this many compute slices and the least memory. */
function plainShape(grid: MigGrid, computeSlices: number): number {
  let best = -1;
  for (const [no, shape] of grid.shapes.entries()) {
    if (shape.computeSlices !== computeSlices) continue;
    if (best < 0 || shape.memorySlices < grid.shapes[best]!.memorySlices) best = no;
  }
  return best;
}

/**
 * The smallest plain profile with at least this compute and memory (units) and usable memory. If it has no legal start,
 * no larger one has: larger profiles start at a subset of its starts and take more.
 */
export function smallestProfile(
  model: MigModel,
  compute: number,
  memory: number,
  memoryMiB: number,
): MigProfile | undefined {
  return model.profiles.find(
    (each) => each.plain && each.compute >= compute && each.memory >= memory && each.memoryMiB >= memoryMiB,
  );
}

function isLegal(grid: MigGrid, use: MigUse, profile: MigProfile, start: number): boolean {
  return (
    (use.slots & maskOf(profile.memorySlices, start)) === 0 &&
    use.compute + profile.computeSlices <= grid.computeSlices &&
    profile.starts.includes(start) &&
    enginesAgree(use.media, profile.media)
  );
}

function enginesAgree(used: number, wanted: number): boolean {
  if ((used & wanted & media.set) !== 0) return false;
  return ((used | wanted) & media.all) === 0 || used === 0 || wanted === 0;
}

function maskOf(slices: number, start: number): number {
  return ((1 << slices) - 1) << start;
}

/**
 * The sets of further instances that fit a GPU in this state, the empty set included; three bits of count per shape.
 * Media engines are left out: each variant has the starts of its plain form.
 */
function futuresOf(grid: MigGrid, slots: number, compute: number): ReadonlySet<number> {
  const { futures } = tablesOf(grid);
  const state = stateOf(grid, slots, compute);
  const known = futures[state];
  if (known !== undefined) return known;
  const sets = new Set([0]);
  for (const [no, { computeSlices, memorySlices, starts }] of grid.shapes.entries()) {
    if (compute + computeSlices > grid.computeSlices) continue;
    for (const start of starts) {
      const mask = maskOf(memorySlices, start);
      if ((slots & mask) !== 0) continue;
      for (const rest of futuresOf(grid, slots | mask, compute + computeSlices)) sets.add(rest + (1 << (3 * no)));
    }
  }
  futures[state] = sets;
  return sets;
}

/** Results computed for a grid so far: a few hundred states occur, each with at most 78 sets. */
interface Tables {
  readonly futures: ReadonlySet<number>[];
  /** The best start by shape and state. */
  readonly best: Int8Array;
}

const unknown = -2;
const tables = new Map<MigGrid, Tables>();

function tablesOf(grid: MigGrid): Tables {
  const known = tables.get(grid);
  if (known !== undefined) return known;
  const fresh = { futures: [], best: new Int8Array(grid.shapes.length << stateBits(grid)).fill(unknown) };
  tables.set(grid, fresh);
  return fresh;
}

/** At most seven compute slices: three bits above the bits of the memory slices. */
function stateOf(grid: MigGrid, slots: number, compute: number): number {
  return (compute << grid.memorySlices) | slots;
}

function stateBits(grid: MigGrid): number {
  return grid.memorySlices + 3;
}
