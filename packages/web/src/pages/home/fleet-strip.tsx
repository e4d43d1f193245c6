import type { SummaryShape } from "@tessera/wire";
import { useEffect, useRef } from "react";
import { readColour } from "../../design/colour.ts";
import { useTheme } from "../../frame/use-theme.ts";

const height = 44;

type NodeColumn = NonNullable<SummaryShape["fleet"]["columns"]>[number];

/** The whole fleet as a strip: a column for each node, or for several, as high as it is full. */
export function FleetStrip({ columns: nodes }: { columns: readonly NodeColumn[] }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours
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
        const share = node.gpus === 0 ? 0 : node.held / node.gpus;
        paint.fillStyle = node.mode === "out" ? colours.down : node.mode === "up" ? colours.idle : colours.cordoned;
        paint.fillRect(x, 0, w, height);
        paint.fillStyle = node.burst * 2 > node.held ? colours.b : colours.g;
        paint.fillRect(x, height * (1 - share), w, height * share);
      }
    };
    draw();
    const watch = new ResizeObserver(draw);
    watch.observe(canvas.current!);
    return () => watch.disconnect();
  }, [nodes, theme]);
  return (
    <canvas
      ref={canvas}
      style={{ width: "100%", height, borderRadius: 4, display: "block" }}
      role="img"
      aria-label="How full each node of the fleet is"
    />
  );
}
