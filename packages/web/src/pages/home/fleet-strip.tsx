import { useEffect, useRef } from "react";
import { paintOf } from "../../design/colour.ts";
import { useTheme } from "../../frame/use-theme.ts";
import { stateColours } from "../fleet/colours.ts";
import { legendOf, partsOf, type StripColumn } from "./strip.ts";

const height = 44;

/** The whole fleet as a strip: a column for each node, or for several, with what is held, free and out of use stacked. */
export function FleetStrip({ columns: nodes }: { columns: readonly StripColumn[] }) {
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
      const colours = new Map(legendOf(nodes).map(({ word }) => [word, paintOf(stateColours[word])]));
      paint.scale(scale, scale);
      const columns = Math.min(nodes.length, Math.floor(width));
      for (let i = 0; i < columns; i++) {
        const [x, w] = [(i * width) / columns, width / columns + 0.3];
        for (const { word, from, share } of partsOf(nodes[Math.floor((i * nodes.length) / columns)]!)) {
          paint.fillStyle = colours.get(word)!;
          paint.fillRect(x, height * (1 - from - share), w, height * share);
        }
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
      aria-label="How the GPUs of the fleet are held, node by node"
    />
  );
}
