import type { FleetNodeShape } from "@tessera/wire";
import { useEffect, useRef } from "react";
import { readColour } from "../../design/colour.ts";
import { isOut } from "../fleet/summary.ts";

const height = 44;

function shareOf(node: FleetNodeShape): { letter: string; share: number } {
  let held = 0;
  let burst = 0;
  for (const letter of node.cells) {
    if (letter !== ".") held++;
    if (letter === "b" || letter === "B") burst++;
  }
  return { letter: burst * 2 > held ? "b" : "g", share: node.cells.length === 0 ? 0 : held / node.cells.length };
}

/** The whole fleet as a strip: a column for each node, or for several, as high as it is full. */
export function FleetStrip({ nodes }: { nodes: readonly FleetNodeShape[] }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const draw = () => {
      const box = canvas.current;
      if (box === null) return;
      const width = box.clientWidth;
      const scale = devicePixelRatio;
      box.width = width * scale;
      box.height = height * scale;
      const paint = box.getContext("2d")!;
      const colours = {
        g: readColour("--guaranteed"),
        b: readColour("--burst"),
        idle: readColour("--map-idle"),
        down: readColour("--down"),
        cordoned: readColour("--maintenance"),
      };
      paint.scale(scale, scale);
      const columns = Math.min(nodes.length, Math.floor(width));
      for (let i = 0; i < columns; i++) {
        const node = nodes[Math.floor((i * nodes.length) / columns)]!;
        const [x, w] = [(i * width) / columns, width / columns + 0.3];
        const { letter, share } = shareOf(node);
        paint.fillStyle = isOut(node) ? colours.down : node.mode === "up" ? colours.idle : colours.cordoned;
        paint.fillRect(x, 0, w, height);
        paint.fillStyle = letter === "b" ? colours.b : colours.g;
        paint.fillRect(x, height * (1 - share), w, height * share);
      }
    };
    draw();
    const watch = new ResizeObserver(draw);
    watch.observe(canvas.current!);
    return () => watch.disconnect();
  }, [nodes]);
  return (
    <canvas
      ref={canvas}
      style={{ width: "100%", height, borderRadius: 4, display: "block" }}
      role="img"
      aria-label="How full each node of the fleet is"
    />
  );
}
