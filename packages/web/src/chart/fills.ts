import type { Pattern } from "../design/hues.ts";

/** The side of a pattern's tile in pixels. The CSS classes `.pattern-…` draw the same patterns with gradients. */
const tilePx = 8;
const strokePx = 1.2;
const dotPx = 1;
/** Clear enough to tell areas apart, and no more: an area is often most of a chart. */
const patternAlpha = 0.5;

type Tile = readonly (readonly [x: number, y: number, toX: number, toY: number])[];

/** Diagonals overlap into neighbouring tiles: otherwise corners stay empty. */
const rising: Tile = [
  [-2, tilePx + 2, tilePx + 2, -2],
  [-2, 2, 2, -2],
  [tilePx - 2, tilePx + 2, tilePx + 2, tilePx - 2],
];
const falling: Tile = rising.map(([x, y, toX, toY]) => [x, tilePx - y, toX, tilePx - toY]);
const level: Tile = [[0, tilePx / 2, tilePx, tilePx / 2]];
const upright: Tile = [[tilePx / 2, 0, tilePx / 2, tilePx]];
const strokes: Readonly<Record<Exclude<Pattern, "plain" | "dots">, Tile>> = {
  ...{ rising, falling, level, upright },
  grid: [...level, ...upright],
};

/** The fill of an area on a canvas: its colour, with the pattern on top in the background colour. */
export function fillOf(colour: string, pattern: Pattern, ink: string): string | CanvasPattern {
  if (pattern === "plain") return colour;
  const tile = document.createElement("canvas");
  tile.width = tile.height = Math.round(tilePx * devicePixelRatio);
  const pen = tile.getContext("2d")!;
  pen.fillStyle = colour;
  pen.fillRect(0, 0, tile.width, tile.height);
  pen.scale(tile.width / tilePx, tile.height / tilePx);
  pen.strokeStyle = pen.fillStyle = ink;
  pen.globalAlpha = patternAlpha;
  pen.lineWidth = strokePx;
  pen.beginPath();
  if (pattern === "dots") for (const at of [2, 6]) pen.ellipse(at, at, dotPx, dotPx, 0, 0, 2 * Math.PI);
  else
    for (const [x, y, toX, toY] of strokes[pattern]) {
      pen.moveTo(x, y);
      pen.lineTo(toX, toY);
    }
  if (pattern === "dots") pen.fill();
  else pen.stroke();
  return pen.createPattern(tile, "repeat") ?? colour;
}
