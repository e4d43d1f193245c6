import type { FleetNodeShape } from "@tessera/wire";
import { shelve } from "./shelves.ts";

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
  /** Empty where there is one only. */
  readonly engines: readonly Labelled[];
  readonly zones: readonly Labelled[];
  /** Empty where there is one only. */
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
const engineEdge = 1.6;
const nodesPerColumnMax = 16;
/** Of a fleet of at most this many nodes, racks are also tried with shorter columns, which fill a wide window better. */
const smallFleetMax = 128;
const shorterColumns = [8, 4, 2, 1];
/** Racks are columns of nodes unless the map becomes larger by this much. */
const worthShorter = 1.15;

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
  const [engines, zones, blocks, racks]: [Labelled[], Labelled[], Labelled[], Labelled[]] = [[], [], [], []];
  const index = nodes.map((_, i) => i);
  const byEngine = Map.groupBy(index, (i) => nodes[i]!.engine ?? "");
  const zoneOf = zoneNamer(nodes);
  const draft = (nodesPerColumn: number) =>
    [...byEngine].map(([engine, inEngine]) => ({
      engine,
      zones: [...Map.groupBy(inEngine, (i) => zoneOf(nodes[i]!))].map(([zone, inZone]) => ({
        zone,
        blocks: [...Map.groupBy(inZone, (i) => nodes[i]!.block)].map(([name, inBlock]) => ({
          name,
          ...draftBlock(nodes, inBlock, nodesPerColumn),
        })),
      })),
    }));
  // The only block is all that its zone shows.
  const hasBlocks = new Set(nodes.map((node) => `${node.engine ?? ""} ${zoneOf(node)} ${node.block}`)).size > 1;
  const zoneTop = hasBlocks ? zoneHead : zoneHead - head;
  // One engine needs no frame of its own.
  const frame = byEngine.size > 1 ? { top: zoneHead, side: engineEdge } : { top: 0, side: 0 };
  const pack = (drafted: ReturnType<typeof draft>, shelf: number) =>
    shelve(
      drafted.map(({ engine, zones: inEngine }) => {
        const packed = shelve(
          inEngine.map(({ zone, blocks: inZone }) => {
            const inside = shelve(inZone, shelf, blockGap);
            return { zone, inside, w: inside.width, h: zoneTop + inside.height };
          }),
          shelf,
          zoneGap,
        );
        return { engine, packed, w: packed.width + 2 * frame.side, h: packed.height + frame.top + frame.side };
      }),
      shelf,
      zoneGap,
    );
  const packWith = (nodesPerColumn: number) => {
    const drafted = draft(nodesPerColumn);
    const all = drafted.flatMap((each) => each.zones.flatMap((zone) => zone.blocks));
    const area = all.reduce((sum, { w, h }) => sum + (w + blockGap) * (h + blockGap), 0);
    // Frames and gaps are not in the area: of some longer shelves, that on which everything is drawn largest is the best.
    return [1, 1.25, 1.6, 2, 2.5, 3.2]
      .map((by) => pack(drafted, by * Math.max(Math.sqrt(area * aspect), ...all.map(({ w }) => w))))
      .reduce((best, next) => (sizeIn(next, aspect) > sizeIn(best, aspect) ? next : best));
  };
  const whole = (nodes.length <= smallFleetMax ? shorterColumns : [])
    .map(packWith)
    .reduce(
      (best, next) => (sizeIn(next, aspect) > worthShorter * sizeIn(best, aspect) ? next : best),
      packWith(nodesPerColumnMax),
    );
  for (const { item: engine, ...corner } of whole.placed) {
    if (byEngine.size > 1) engines.push({ name: engine.engine, ...corner, w: engine.w, h: engine.h });
    for (const { item: zone, ...at } of engine.packed.placed) {
      const [x, y] = [corner.x + frame.side + at.x, corner.y + frame.top + at.y];
      zones.push({ name: zone.zone, x, y, w: zone.w, h: zone.h });
      for (const { item: block, ...inZone } of zone.inside.placed) {
        const [left, top] = [x + inZone.x, y + zoneTop + inZone.y];
        if (hasBlocks) blocks.push({ name: block.name, x: left, y: top, w: block.w, h: block.h });
        for (const rack of block.racks) racks.push({ ...rack, x: rack.x + left, y: rack.y + top });
        for (const [i, box] of block.nodes) placed[i] = { ...box, x: box.x + left, y: box.y + top };
      }
    }
  }
  return { width: whole.width, height: whole.height, engines, zones, blocks, racks, nodes: placed };
}

/** How large it is drawn in a window of this aspect. */
function sizeIn({ width, height }: { width: number; height: number }, aspect: number): number {
  return Math.min(aspect / width, 1 / height);
}

/** Names a zone so that no two of one engine are alike: with its region where the fleet has several. */
function zoneNamer(nodes: readonly FleetNodeShape[]): (node: FleetNodeShape) => string {
  const regions = new Set(nodes.map(({ region }) => region)).size > 1;
  return ({ region, zone }) => (regions && region !== undefined ? `${region} / ${zone}` : zone);
}

/** A block with its corner at 0, 0. */
function draftBlock(nodes: readonly FleetNodeShape[], inBlock: readonly number[], nodesPerColumn: number) {
  const racks: Labelled[] = [];
  const boxes: [number, Box][] = [];
  let x = 0.8;
  let bottom = 0;
  for (const [name, inRack] of Map.groupBy(inBlock, (i) => nodes[i]!.rack)) {
    const w = Math.max(...inRack.map((i) => columnsOf(nodes[i]!.cells.length)));
    const columns = Math.ceil(inRack.length / nodesPerColumn);
    for (const [place, i] of inRack.entries()) {
      const column = Math.floor(place / nodesPerColumn);
      const rows = Math.min(2, Math.max(1, nodes[i]!.cells.length));
      const box = {
        x: x + column * (w + gap),
        y: head + (place % nodesPerColumn) * (2 + gap),
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

/** The GPU of a node at a point inside it, by its place; undefined where the last row is not full. */
export function gpuUnder(node: Box, gpus: number, x: number, y: number): number | undefined {
  const index = Math.floor(y - node.y) * columnsOf(gpus) + Math.floor(x - node.x);
  return index >= 0 && index < gpus ? index : undefined;
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
