import type { FleetNodeShape } from "@tessera/wire";
import type { Words } from "./colours.ts";
import { notMeasured } from "./heat.ts";
import { shortened } from "./label.ts";
import { type Box, gpuAt, type Labelled, type Layout } from "./layout.ts";

export interface Eye {
  /** Pixels of one GPU's square. */
  scale: number;
  /** Where the map's corner is on the canvas. */
  x: number;
  y: number;
}

interface Look {
  readonly words: Words;
  readonly colourOf: (word: string) => string;
  readonly dim: string;
  readonly text: string;
  readonly line: string;
  readonly back: string;
  /** When set, only these words keep their colour. */
  readonly only: ReadonlySet<string>;
}

const cell = 4;
/** A GPU of a fleet that is shown whole is not drawn larger. */
const fitScaleMax = 40;
/** Also a map that fits can be drawn larger. */
const scaleMax = 2 * fitScaleMax;
/** From this size on a GPU is drawn with an edge of its own, straight onto the canvas; below, from the picture. */
const sharpScale = 9;
/** From the left edge of a box to its name. */
const indent = 3;
const pictureSideMax = 8192;

/** Draws the fleet. All of it is painted once into a picture; zooming and moving only shows that picture elsewhere. */
export class MapView {
  readonly #canvas: HTMLCanvasElement;
  readonly #paint: CanvasRenderingContext2D;
  readonly #picture = document.createElement("canvas");
  #nodes: readonly FleetNodeShape[] = [];
  #layout: Layout | undefined;
  #look: Look | undefined;
  #pictureCell = cell;
  readonly eye: Eye = { scale: 1, x: 0, y: 0 };

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    this.#paint = canvas.getContext("2d", { alpha: false })!;
  }

  show(nodes: readonly FleetNodeShape[], layout: Layout, look: Look): void {
    const before = this.#nodes;
    const same = this.#layout === layout && this.#look === look;
    this.#nodes = nodes;
    this.#layout = layout;
    this.#look = look;
    if (!same) this.#paintPicture();
    else this.#repaint(before);
  }

  #paintPicture(): void {
    const { width, height } = this.#layout!;
    this.#pictureCell = Math.max(1, Math.min(cell, Math.floor(pictureSideMax / Math.max(width, height, 1))));
    this.#picture.width = Math.max(1, Math.ceil(width * this.#pictureCell));
    this.#picture.height = Math.max(1, Math.ceil(height * this.#pictureCell));
    const paint = this.#picture.getContext("2d")!;
    paint.clearRect(0, 0, this.#picture.width, this.#picture.height);
    for (let i = 0; i < this.#nodes.length; i++) this.#paintNode(paint, i);
  }

  /** Repaints only the nodes that changed. */
  #repaint(before: readonly FleetNodeShape[]): void {
    const paint = this.#picture.getContext("2d")!;
    for (let i = 0; i < this.#nodes.length; i++) if (before[i] !== this.#nodes[i]) this.#paintNode(paint, i);
  }

  #paintNode(paint: CanvasRenderingContext2D, i: number): void {
    const node = this.#nodes[i]!;
    const box = this.#layout!.nodes[i]!;
    const size = this.#pictureCell;
    const edge = size > 2 ? 1 : 0;
    for (let gpu = 0; gpu < node.cells.length; gpu++) {
      const { x, y } = gpuAt(box, node.cells.length, gpu);
      paint.fillStyle = this.#colour(node, gpu);
      paint.fillRect(Math.round(x * size), Math.round(y * size), size - edge, size - edge);
    }
  }

  #colour(node: FleetNodeShape, gpu: number): string {
    const { words, only, dim, colourOf } = this.#look!;
    const word = words(node, gpu);
    return only.size > 0 && !only.has(word) ? dim : colourOf(word);
  }

  /** The whole map in the middle of the canvas. */
  fit(): void {
    const { width, height } = this.#layout!;
    const { clientWidth, clientHeight } = this.#canvas;
    this.eye.scale = Math.min(
      (clientWidth - 32) / Math.max(1, width),
      (clientHeight - 32) / Math.max(1, height),
      fitScaleMax,
    );
    this.eye.x = (clientWidth - width * this.eye.scale) / 2;
    this.eye.y = (clientHeight - height * this.eye.scale) / 2;
  }

  zoom(factor: number, x: number, y: number): void {
    const scale = Math.min(scaleMax, Math.max(0.15, this.eye.scale * factor));
    const by = scale / this.eye.scale;
    this.eye.x = x - (x - this.eye.x) * by;
    this.eye.y = y - (y - this.eye.y) * by;
    this.eye.scale = scale;
  }

  /** Brings a node into the middle, large enough to see its GPUs. */
  lookAt(i: number): void {
    const box = this.#layout!.nodes[i]!;
    const { clientWidth, clientHeight } = this.#canvas;
    this.eye.scale = Math.max(this.eye.scale, 12);
    this.eye.x = clientWidth / 2 - (box.x + box.w / 2) * this.eye.scale;
    this.eye.y = clientHeight / 2 - (box.y + box.h / 2) * this.eye.scale;
  }

  /** A point of the canvas on the map. */
  mapPoint(x: number, y: number): { x: number; y: number } {
    return { x: (x - this.eye.x) / this.eye.scale, y: (y - this.eye.y) / this.eye.scale };
  }

  /** Where the middle of a node, or of one of its GPUs, is on the canvas. */
  middleOf(i: number, gpu: number | undefined): { x: number; y: number } {
    const box = this.#layout!.nodes[i]!;
    const { x, y } =
      gpu === undefined
        ? { x: box.x + box.w / 2, y: box.y + box.h / 2 }
        : half(gpuAt(box, this.#nodes[i]!.cells.length, gpu));
    return { x: this.eye.x + x * this.eye.scale, y: this.eye.y + y * this.eye.scale };
  }

  /** `gpu`: the one of the selected node on which the keys are. */
  draw(selected: number | undefined, gpu?: number): void {
    const layout = this.#layout;
    if (layout === undefined) return;
    const { clientWidth, clientHeight } = this.#canvas;
    const dots = devicePixelRatio;
    if (
      this.#canvas.width !== Math.round(clientWidth * dots) ||
      this.#canvas.height !== Math.round(clientHeight * dots)
    ) {
      this.#canvas.width = Math.round(clientWidth * dots);
      this.#canvas.height = Math.round(clientHeight * dots);
    }
    const paint = this.#paint;
    const { eye } = this;
    const look = this.#look!;
    paint.setTransform(dots, 0, 0, dots, 0, 0);
    paint.fillStyle = look.back;
    paint.fillRect(0, 0, clientWidth, clientHeight);
    const from = this.mapPoint(0, 0);
    const to = this.mapPoint(clientWidth, clientHeight);
    const visible = (box: Box) => box.x < to.x && box.y < to.y && box.x + box.w > from.x && box.y + box.h > from.y;
    if (eye.scale >= sharpScale) this.#drawSharp(visible);
    else this.#drawPicture(from, to);
    paint.fillStyle = look.text;
    paint.strokeStyle = look.line;
    this.#labels(layout.engines.filter(visible), 14, 30, true);
    this.#labels(layout.zones.filter(visible), 13, 30, true);
    this.#labels(layout.blocks.filter(visible), 11, 70, true);
    if (eye.scale > 4) this.#labels(layout.racks.filter(visible), 10, 40, false);
    if (selected === undefined) return;
    const box = layout.nodes[selected]!;
    this.#select(box, 2.5);
    if (gpu !== undefined) this.#select({ ...gpuAt(box, this.#nodes[selected]!.cells.length, gpu), w: 1, h: 1 }, -1);
  }

  #drawPicture(from: { x: number; y: number }, to: { x: number; y: number }): void {
    const size = this.#pictureCell;
    const { eye } = this;
    const left = Math.max(0, Math.floor(from.x * size));
    const top = Math.max(0, Math.floor(from.y * size));
    const right = Math.min(this.#picture.width, Math.ceil(to.x * size));
    const bottom = Math.min(this.#picture.height, Math.ceil(to.y * size));
    if (right <= left || bottom <= top) return;
    const by = eye.scale / size;
    this.#paint.imageSmoothingEnabled = by < 1;
    // Far away several pixels of the picture fall into one; without this whole rows would fade.
    this.#paint.imageSmoothingQuality = by < 0.5 ? "medium" : "low";
    this.#paint.drawImage(
      this.#picture,
      left,
      top,
      right - left,
      bottom - top,
      eye.x + left * by,
      eye.y + top * by,
      (right - left) * by,
      (bottom - top) * by,
    );
  }

  #drawSharp(visible: (box: Box) => boolean): void {
    const paint = this.#paint;
    const { eye } = this;
    const side = eye.scale - Math.max(1, eye.scale * 0.12);
    for (const [i, box] of this.#layout!.nodes.entries()) {
      if (!visible(box)) continue;
      const node = this.#nodes[i]!;
      for (let gpu = 0; gpu < node.cells.length; gpu++) {
        const { x, y } = gpuAt(box, node.cells.length, gpu);
        const letter = node.cells[gpu]!;
        const [px, py] = [eye.x + x * eye.scale, eye.y + y * eye.scale];
        paint.fillStyle = this.#colour(node, gpu);
        paint.fillRect(px, py, side, side);
        if (this.#look!.words(node, gpu) === notMeasured) this.#cross(px, py, side);
        // A capital: a part of it is free. Shape says it too, not colour alone.
        if (letter !== "." && letter === letter.toUpperCase()) {
          paint.fillStyle = this.#look!.back;
          paint.fillRect(px + side / 2, py + side / 2, side / 2, side / 2);
        }
      }
    }
  }

  /** Nothing is known of it: a stroke says so beside the colour. */
  #cross(x: number, y: number, side: number): void {
    const paint = this.#paint;
    paint.strokeStyle = this.#look!.line;
    paint.lineWidth = 1;
    paint.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1);
    paint.beginPath();
    paint.moveTo(x, y + side);
    paint.lineTo(x + side, y);
    paint.stroke();
  }

  #labels(boxes: readonly Labelled[], size: number, widthMin: number, framed: boolean): void {
    const { eye } = this;
    const paint = this.#paint;
    paint.font = `550 ${size}px system-ui, sans-serif`;
    for (const box of boxes) {
      const width = box.w * eye.scale;
      const [x, y] = [eye.x + box.x * eye.scale, eye.y + box.y * eye.scale];
      if (framed) {
        paint.lineWidth = 1;
        paint.strokeRect(x - 0.5, y - 0.5, width + 1, box.h * eye.scale + 1);
      }
      if (width < widthMin) continue;
      const room = eye.scale * 2.4;
      if (room < size * 0.8) continue;
      paint.save();
      paint.beginPath();
      paint.rect(x, y - (framed ? 0 : room), width, framed ? room + 4 : room);
      paint.clip();
      const name = shortened(box.name, (text) => paint.measureText(text).width <= width - indent);
      paint.fillText(name, x + indent, framed ? y + Math.min(room - 2, size + 2) : y - 3);
      paint.restore();
    }
  }

  #select(box: Box, grow: number): void {
    const { eye } = this;
    const paint = this.#paint;
    paint.lineWidth = 3;
    paint.strokeStyle = this.#look!.text;
    paint.strokeRect(
      eye.x + box.x * eye.scale - grow,
      eye.y + box.y * eye.scale - grow,
      box.w * eye.scale + 2 * grow,
      box.h * eye.scale + 2 * grow,
    );
  }
}

function half({ x, y }: { x: number; y: number }): { x: number; y: number } {
  return { x: x + 0.5, y: y + 0.5 };
}
