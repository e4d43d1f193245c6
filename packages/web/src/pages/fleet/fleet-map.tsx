import type { FleetNodeShape } from "@tessera/wire";
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from "react";
import type { Places } from "../../chart/colours.ts";
import { paintOf, readColour } from "../../design/colour.ts";
import { Button } from "../../design/parts.tsx";
import { useTheme } from "../../frame/use-theme.ts";
import { coloursOf, type Words } from "./colours.ts";
import { gpuUnder, layOut, neighbour, nodeAt } from "./layout.ts";
import { MapCard } from "./map-card.tsx";
import { MapView } from "./map-view.ts";
import { usePointed } from "./use-pointed.ts";

interface FleetMapProps {
  readonly nodes: readonly FleetNodeShape[];
  readonly words: Words;
  /** What the words are now, in their order in the legend. */
  readonly legend: readonly { readonly word: string }[];
  /** Of accounts, once they are known. */
  readonly places: Places | undefined;
  readonly only: ReadonlySet<string>;
  readonly selected: string | undefined;
  /** The map shows another moment than now. */
  readonly isThen: boolean;
  readonly measured: ((node: string, gpu: number) => string) | undefined;
  readonly onSelect: (name: string | undefined) => void;
  readonly onOpen: (name: string) => void;
}

const zoomStep = 1.35;
/** The shape of the map before its box is known. */
const usualAspect = { wide: 2.4, narrow: 0.8 };
/** A box that differs by more than this from the shape of the map gets another layout. */
const aspectSlack = 0.2;

/** The fleet on a canvas: Ctrl with the wheel, or + and −, zoom; the wheel alone scrolls the page; dragging moves, arrows go from node to node. */
export function FleetMap(props: FleetMapProps) {
  const { nodes, words, legend, places, only, selected, isThen, measured, onSelect, onOpen } = props;
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
  const [aspect, setAspect] = useState(innerWidth > 760 ? usualAspect.wide : usualAspect.narrow);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the layout depends on the places of nodes, not on their state
  const layout = useMemo(() => layOut(nodes, aspect), [positions, aspect]);
  const { pointed, point, restOn, hide } = usePointed();
  /** Where the keys are in the selected node; set by each press of an arrow. */
  const [keys, setKeys] = useState<{ readonly gpu: number | undefined }>();
  const shown = legend.map(({ word }) => word);
  const wordList = [...shown].sort().join("\n");
  const at = selected === undefined ? -1 : nodes.findIndex(({ name }) => name === selected);
  const chosen = useRef<number | undefined>(undefined);
  chosen.current = at < 0 ? undefined : at;
  const gpuOfKeys = useRef<number | undefined>(undefined);
  gpuOfKeys.current = keys?.gpu;
  const draw = useRef(() => {});
  draw.current = () => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => view.current?.draw(chosen.current, gpuOfKeys.current));
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
    const watch = new ResizeObserver(() => {
      const now = box.clientWidth / Math.max(1, box.clientHeight);
      setAspect((before) => (Math.abs(now / before - 1) > aspectSlack ? now : before));
      draw.current();
    });
    watch.observe(box);
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      view.current!.zoom(Math.exp(-event.deltaY * 0.0016), event.offsetX, event.offsetY);
      hide();
      draw.current();
    };
    box.addEventListener("wheel", wheel, { passive: false });
    return () => {
      watch.disconnect();
      box.removeEventListener("wheel", wheel);
      cancelAnimationFrame(frame.current);
    };
  }, [hide]);
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
  useEffect(() => {
    if (at < 0 || keys === undefined) return;
    point({ node: selected!, gpu: keys.gpu, ...view.current!.middleOf(at, keys.gpu) });
    draw.current();
  }, [at, selected, keys, point]);
  const leave = () => {
    hide();
    setKeys(undefined);
  };
  const zoomBy = (factor: number) => {
    const { clientWidth, clientHeight } = canvas.current!;
    view.current!.zoom(factor, clientWidth / 2, clientHeight / 2);
    leave();
    draw.current();
  };
  const fit = () => {
    view.current!.fit();
    leave();
    draw.current();
  };
  const goTo = (arrow: readonly [number, number]) => {
    onSelect(nodes[at < 0 ? 0 : neighbour(layout, at, ...arrow)]!.name);
    setKeys({ gpu: undefined });
  };
  const goToGpu = (by: number) => {
    const last = nodes[at]!.cells.length - 1;
    setKeys({ gpu: keys?.gpu === undefined ? 0 : Math.min(last, Math.max(0, keys.gpu + by)) });
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
    else if (event.key === "Escape") {
      leave();
      onSelect(undefined);
    } else if (arrow !== undefined && event.shiftKey && at >= 0) goToGpu(arrow[0] + arrow[1]);
    else if (arrow !== undefined && nodes.length > 0) goTo(arrow);
    else return;
    event.preventDefault();
  };
  const underPointer = (event: PointerEvent) => {
    const corner = canvas.current!.getBoundingClientRect();
    const [x, y] = [event.clientX - corner.x, event.clientY - corner.y];
    const spot = view.current!.mapPoint(x, y);
    const found = nodeAt(layout, spot.x, spot.y);
    return found === undefined ? undefined : { found, spot, x, y };
  };
  const lookUnder = (event: PointerEvent) => {
    const under = underPointer(event);
    if (under === undefined) return hide();
    const { found, spot, x, y } = under;
    const { name, cells } = nodes[found]!;
    restOn({ node: name, gpu: gpuUnder(layout.nodes[found]!, cells.length, spot.x, spot.y), x, y });
  };
  const move = (event: PointerEvent) => {
    const from = drag.current;
    if (from === undefined) {
      if (event.pointerType !== "touch") lookUnder(event);
      return;
    }
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    if (!from.moved && Math.hypot(dx, dy) < 4) return;
    leave();
    view.current!.eye.x += dx;
    view.current!.eye.y += dy;
    drag.current = { x: event.clientX, y: event.clientY, moved: true };
    draw.current();
  };
  const release = (event: PointerEvent) => {
    const from = drag.current;
    drag.current = undefined;
    if (from === undefined || from.moved) return;
    const under = underPointer(event);
    setKeys(undefined);
    onSelect(under === undefined ? undefined : nodes[under.found]!.name);
  };
  const told = pointed && nodes.find(({ name }) => name === pointed.node);
  return (
    <div className="map-box">
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a canvas with keyboard control has no better role */}
      <canvas
        ref={canvas}
        className="fleet-map"
        role="application"
        tabIndex={0}
        aria-label={`Map of ${nodes.length} nodes. Arrows move between nodes, Shift with arrows between the GPUs of a node, plus and minus zoom, Enter opens.`}
        onKeyDown={press}
        onPointerDown={(event) => {
          drag.current = { x: event.clientX, y: event.clientY, moved: false };
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={move}
        onPointerUp={release}
        onPointerLeave={hide}
        onBlur={leave}
      />
      <div aria-live="polite">
        {pointed !== undefined && told !== undefined && (
          <MapCard
            node={told}
            at={pointed}
            width={canvas.current?.clientWidth ?? 0}
            height={canvas.current?.clientHeight ?? 0}
            isThen={isThen}
            measured={measured}
          />
        )}
      </div>
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
