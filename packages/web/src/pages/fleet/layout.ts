import type { FleetNodeShape } from "@tessera/wire";

/** Everything in units of one GPU's square. A node is two rows of GPUs, a rack a column of nodes, a block a row of racks. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}
export interface Labelled extends Box {
  readonly name: string;
}
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly zones: readonly Labelled[];
  readonly blocks: readonly Labelled[];
  readonly racks: readonly Labelled[];
  /** By place in the list of nodes. */
  readonly nodes: readonly Box[];
}

const gap = 0.6;
const rackGap = 1.2;
const head = 2.4;
const blockGap = 1.6;
const zoneGap = 4;
const zoneHead = head + 1;
const nodesPerColumnMax = 16;

function columnsOf(gpus: number): number {
  return Math.max(1, Math.ceil(gpus / 2));
}

/** Where a GPU lies inside its node. */
export function gpuAt(node: Box, gpus: number, index: number): { x: number; y: number } {
  const columns = columnsOf(gpus);
  return { x: node.x + (index % columns), y: node.y + Math.floor(index / columns) };
}

/** Lays the fleet out so that it is about as wide, compared with its height, as `aspect`. */
export function layOut(nodes: readonly FleetNodeShape[], aspect: number): Layout {
  const placed = new Array<Box>(nodes.length);
  const [zones, blocks, racks]: [Labelled[], Labelled[], Labelled[]] = [[], [], []];
  const index = nodes.map((_, i) => i);
  const zoneOf = zoneNamer(nodes);
  const inZones = [...Map.groupBy(index, (i) => zoneOf(nodes[i]!))].map(([zone, inZone]) => ({
    zone,
    drafts: [...Map.groupBy(inZone, (i) => nodes[i]!.block)].map(([name, inBlock]) => ({
      name,
      draft: draftBlock(nodes, inBlock),
    })),
  }));
  const all = inZones.flatMap(({ drafts }) => drafts.map(({ draft }) => draft));
  const area = all.reduce((sum, { w, h }) => sum + (w + blockGap) * (h + blockGap), 0);
  const shelf = Math.max(Math.sqrt(area * aspect), ...all.map(({ w }) => w));
  const onShelves = shelve(
    inZones.map(({ zone, drafts }) => {
      const packed = shelve(
        drafts.map((each) => ({ ...each, w: each.draft.w, h: each.draft.h })),
        shelf,
        blockGap,
      );
      return { zone, packed, w: packed.width, h: zoneHead + packed.height };
    }),
    shelf,
    zoneGap,
  );
  for (const { item, x, y } of onShelves.placed) {
    zones.push({ name: item.zone, x, y, w: item.w, h: item.h });
    for (const { item: block, ...at } of item.packed.placed) {
      const [left, top] = [x + at.x, y + zoneHead + at.y];
      const { draft } = block;
      blocks.push({ name: block.name, x: left, y: top, w: draft.w, h: draft.h });
      for (const rack of draft.racks) racks.push({ ...rack, x: rack.x + left, y: rack.y + top });
      for (const [i, box] of draft.nodes) placed[i] = { ...box, x: box.x + left, y: box.y + top };
    }
  }
  return { width: onShelves.width, height: onShelves.height, zones, blocks, racks, nodes: placed };
}

interface Shelved<Item> {
  readonly width: number;
  readonly height: number;
  readonly placed: readonly { readonly item: Item; readonly x: number; readonly y: number }[];
}

/** Puts boxes side by side in their order, and begins a new row where the next one would pass the end of the shelf. */
function shelve<Item extends { readonly w: number; readonly h: number }>(
  items: readonly Item[],
  shelf: number,
  between: number,
): Shelved<Item> {
  const placed: { item: Item; x: number; y: number }[] = [];
  let [x, y, rowHeight, width] = [0, 0, 0, 0];
  for (const item of items) {
    if (x > 0 && x + item.w > shelf) {
      x = 0;
      y += rowHeight + between;
      rowHeight = 0;
    }
    placed.push({ item, x, y });
    width = Math.max(width, x + item.w);
    x += item.w + between;
    rowHeight = Math.max(rowHeight, item.h);
  }
  return { width, height: y + rowHeight, placed };
}

/** Names a zone so that no two are alike: with its engine and its region where the fleet has several of them. */
function zoneNamer(nodes: readonly FleetNodeShape[]): (node: FleetNodeShape) => string {
  const several = (of: (node: FleetNodeShape) => string | undefined) => new Set(nodes.map(of)).size > 1;
  const engines = several(({ engine }) => engine);
  const regions = several(({ region }) => region);
  return ({ engine, region, zone }) =>
    [engines ? engine : undefined, regions ? region : undefined, zone]
      .filter((part) => part !== undefined && part !== "")
      .join(" / ");
}

/** A block with its corner at 0, 0. */
function draftBlock(nodes: readonly FleetNodeShape[], inBlock: readonly number[]) {
  const racks: Labelled[] = [];
  const boxes: [number, Box][] = [];
  let x = 0.8;
  let bottom = 0;
  for (const [name, inRack] of Map.groupBy(inBlock, (i) => nodes[i]!.rack)) {
    const w = Math.max(...inRack.map((i) => columnsOf(nodes[i]!.cells.length)));
    const columns = Math.ceil(inRack.length / nodesPerColumnMax);
    for (const [place, i] of inRack.entries()) {
      const column = Math.floor(place / nodesPerColumnMax);
      const rows = Math.min(2, Math.max(1, nodes[i]!.cells.length));
      const box = {
        x: x + column * (w + gap),
        y: head + (place % nodesPerColumnMax) * (2 + gap),
        w: columnsOf(nodes[i]!.cells.length),
        h: rows,
      };
      boxes.push([i, box]);
      bottom = Math.max(bottom, box.y + 2);
    }
    const wide = columns * (w + gap) - gap;
    racks.push({ name, x, y: head, w: wide, h: bottom - head });
    x += wide + rackGap;
  }
  return { w: x - rackGap + 0.8, h: bottom + 0.8, racks, nodes: boxes };
}

/** The node at a point, by its place in the list. */
export function nodeAt(layout: Layout, x: number, y: number): number | undefined {
  const at = layout.nodes.findIndex((box) => x >= box.x && x < box.x + box.w && y >= box.y && y < box.y + box.h);
  return at < 0 ? undefined : at;
}

/** The nearest node in a direction, for the arrow keys. */
export function neighbour(layout: Layout, from: number, dx: number, dy: number): number {
  const here = layout.nodes[from]!;
  let best = from;
  let least = Number.POSITIVE_INFINITY;
  for (const [i, box] of layout.nodes.entries()) {
    const [ax, ay] = [box.x - here.x, box.y - here.y];
    const ahead = ax * dx + ay * dy;
    if (i === from || ahead <= 0) continue;
    const aside = Math.abs(ax * dy) + Math.abs(ay * dx);
    const distance = ahead + 3 * aside;
    if (distance < least) [best, least] = [i, distance];
  }
  return best;
}
