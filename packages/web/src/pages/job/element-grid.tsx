import type { Job } from "@tessera/wire";
import { type PointerEvent, useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { readColour } from "../../design/colour.ts";
import { useTheme } from "../../frame/use-theme.ts";
import { lookOf } from "./element-look.ts";

const cellPx = 7;
const gapPx = 1;

/** Thousands of elements as one drawing; the list below it has each of them as a link. */
export function ElementGrid({ elements }: { elements: readonly Job[] }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [at, setAt] = useState<number>();
  const [, go] = useLocation();
  const theme = useTheme();
  const columns = Math.max(1, Math.floor(width / cellPx));
  const height = Math.ceil(elements.length / columns) * cellPx;
  useEffect(() => {
    const sizes = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width));
    sizes.observe(canvas.current!);
    return () => sizes.disconnect();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours
  useEffect(() => {
    if (canvas.current !== null && width > 0) draw(canvas.current, elements, columns, width, height);
  }, [elements, columns, width, height, theme]);
  const placeAt = (event: PointerEvent<HTMLCanvasElement>) => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const column = Math.min(columns - 1, Math.floor((event.clientX - left) / cellPx));
    const place = Math.floor((event.clientY - top) / cellPx) * columns + column;
    return place >= 0 && place < elements.length ? place : undefined;
  };
  const element = at === undefined ? undefined : elements[at];
  return (
    <div className="element-grid">
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${elements.length} elements by outcome; the list below has each of them`}
        style={{ height }}
        onPointerMove={(event) => setAt(placeAt(event))}
        onPointerLeave={() => setAt(undefined)}
        onPointerUp={(event) => {
          const place = placeAt(event);
          if (place !== undefined) go(`/jobs/${elements[place]!.id}`);
        }}
      />
      <p className="small quiet">
        {element === undefined ? "Point at an element." : `${element.array?.index}: ${lookOf(element).word}`}
      </p>
    </div>
  );
}

function draw(canvas: HTMLCanvasElement, elements: readonly Job[], columns: number, width: number, height: number) {
  const scale = devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const pen = canvas.getContext("2d");
  if (pen === null) return;
  pen.scale(scale, scale);
  const colours = new Map<string, string>();
  for (const [place, element] of elements.entries()) {
    const { tone } = lookOf(element);
    const colour = colours.get(tone) ?? readColour(`--${tone}`);
    colours.set(tone, colour);
    pen.fillStyle = colour;
    const [column, row] = [place % columns, Math.floor(place / columns)];
    pen.fillRect(column * cellPx, row * cellPx, cellPx - gapPx, cellPx - gapPx);
  }
}
