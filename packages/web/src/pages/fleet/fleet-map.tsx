import type { FleetNodeShape } from "@tessera/wire";
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef } from "react";
import type { Places } from "../../chart/colours.ts";
import { paintOf, readColour } from "../../design/colour.ts";
import { Button } from "../../design/parts.tsx";
import { useTheme } from "../../frame/use-theme.ts";
import { coloursOf, type Words } from "./colours.ts";
import { layOut, neighbour, nodeAt } from "./layout.ts";
import { MapView } from "./map-view.ts";

interface FleetMapProps {
  readonly nodes: readonly FleetNodeShape[];
  readonly words: Words;
  /** What the words are now, in their order in the legend. */
  readonly legend: readonly { readonly word: string }[];
  /** Of accounts, once they are known. */
  readonly places: Places | undefined;
  readonly only: ReadonlySet<string>;
  readonly selected: string | undefined;
  readonly onSelect: (name: string | undefined) => void;
  readonly onOpen: (name: string) => void;
}

const zoomStep = 1.35;

/** The fleet on a canvas: Ctrl with the wheel, or + and −, zoom; the wheel alone scrolls the page; dragging moves, arrows go from node to node. */
export function FleetMap({ nodes, words, legend, places, only, selected, onSelect, onOpen }: FleetMapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<MapView>(undefined);
  const frame = useRef(0);
  const drag = useRef<{ x: number; y: number; moved: boolean } | undefined>(undefined);
  const positions = useMemo(
    () =>
      nodes
        .map(({ name, region = "", zone, block, rack, cells }) =>
          [name, region, zone, block, rack, cells.length].join(" "),
        )
        .join("\n"),
    [nodes],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the layout depends on the places of nodes, not on their state
  const layout = useMemo(() => layOut(nodes, innerWidth > 760 ? 2.4 : 0.8), [positions]);
  const shown = legend.map(({ word }) => word);
  const wordList = [...shown].sort().join("\n");
  const at = selected === undefined ? -1 : nodes.findIndex(({ name }) => name === selected);
  const chosen = useRef<number | undefined>(undefined);
  chosen.current = at < 0 ? undefined : at;
  const draw = useRef(() => {});
  draw.current = () => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => view.current?.draw(chosen.current));
  };
  const theme = useTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the words stand for their colours, which a theme changes
  const look = useMemo(() => {
    const colours = new Map([...coloursOf(shown, places)].map(([word, colour]) => [word, paintOf(colour)]));
    const unknown = readColour("--idle");
    return {
      words,
      only,
      colourOf: (word: string) => colours.get(word) ?? unknown,
      dim: readColour("--sunken"),
      text: readColour("--text"),
      line: readColour("--line"),
      back: readColour("--map-back"),
    };
  }, [words, only, wordList, places, theme]);
  useEffect(() => {
    const box = canvas.current!;
    view.current = new MapView(box);
    const watch = new ResizeObserver(() => draw.current());
    watch.observe(box);
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      view.current!.zoom(Math.exp(-event.deltaY * 0.0016), event.offsetX, event.offsetY);
      draw.current();
    };
    box.addEventListener("wheel", wheel, { passive: false });
    return () => {
      watch.disconnect();
      box.removeEventListener("wheel", wheel);
      cancelAnimationFrame(frame.current);
    };
  }, []);
  const fitted = useRef<object>(undefined);
  useEffect(() => {
    view.current!.show(nodes, layout, look);
    if (fitted.current !== layout) {
      fitted.current = layout;
      view.current!.fit();
    }
    draw.current();
  }, [nodes, layout, look]);
  useEffect(() => {
    if (at >= 0) {
      const { x, y } = layout.nodes[at]!;
      const { eye } = view.current!;
      const [px, py] = [eye.x + x * eye.scale, eye.y + y * eye.scale];
      const { clientWidth, clientHeight } = canvas.current!;
      if (px < 0 || py < 0 || px > clientWidth || py > clientHeight || eye.scale < 5) view.current!.lookAt(at);
    }
    draw.current();
  }, [at, layout]);
  const zoomBy = (factor: number) => {
    const { clientWidth, clientHeight } = canvas.current!;
    view.current!.zoom(factor, clientWidth / 2, clientHeight / 2);
    draw.current();
  };
  const fit = () => {
    view.current!.fit();
    draw.current();
  };
  const press = (event: KeyboardEvent) => {
    const arrows: Record<string, readonly [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    };
    const arrow = arrows[event.key];
    if (event.key === "+" || event.key === "=") zoomBy(zoomStep);
    else if (event.key === "-") zoomBy(1 / zoomStep);
    else if (event.key === "0") fit();
    else if (event.key === "Enter" && selected !== undefined) onOpen(selected);
    else if (event.key === "Escape") onSelect(undefined);
    else if (arrow !== undefined && nodes.length > 0)
      onSelect(nodes[at < 0 ? 0 : neighbour(layout, at, ...arrow)]!.name);
    else return;
    event.preventDefault();
  };
  const move = (event: PointerEvent) => {
    const from = drag.current;
    if (from === undefined) return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    if (!from.moved && Math.hypot(dx, dy) < 4) return;
    view.current!.eye.x += dx;
    view.current!.eye.y += dy;
    drag.current = { x: event.clientX, y: event.clientY, moved: true };
    draw.current();
  };
  const release = (event: PointerEvent) => {
    const from = drag.current;
    drag.current = undefined;
    if (from === undefined || from.moved) return;
    const corner = canvas.current!.getBoundingClientRect();
    const point = view.current!.mapPoint(event.clientX - corner.x, event.clientY - corner.y);
    const found = nodeAt(layout, point.x, point.y);
    onSelect(found === undefined ? undefined : nodes[found]!.name);
  };
  return (
    <div className="map-box">
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a canvas with keyboard control has no better role */}
      <canvas
        ref={canvas}
        className="fleet-map"
        role="application"
        tabIndex={0}
        aria-label={`Map of ${nodes.length} nodes. Arrows move between nodes, plus and minus zoom, Enter opens.`}
        onKeyDown={press}
        onPointerDown={(event) => {
          drag.current = { x: event.clientX, y: event.clientY, moved: false };
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={move}
        onPointerUp={release}
      />
      <div className="map-zoom" title="Or Ctrl and the wheel">
        <Button small aria-label="Zoom in" onClick={() => zoomBy(zoomStep)}>
          +
        </Button>
        <Button small aria-label="Zoom out" onClick={() => zoomBy(1 / zoomStep)}>
          −
        </Button>
        <Button small aria-label="Show the whole fleet" onClick={fit}>
          ⤢
        </Button>
      </div>
    </div>
  );
}
