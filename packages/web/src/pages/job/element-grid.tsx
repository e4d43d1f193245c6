import type { Job } from "@tessera/wire";
import { type PointerEvent, useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { jobLook } from "../../design/chip.tsx";
import { paintOf } from "../../design/colour.ts";
import { colourOf, type Hue } from "../../design/hues.ts";
import { useTheme } from "../../frame/use-theme.ts";

const cellPx = 7;
const gapPx = 1;

/** Thousands of elements as one drawing; the list below it has each of them as a link. */
export function ElementGrid({ elements, only }: { elements: readonly Job[]; only: string | undefined }) {
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
    if (canvas.current !== null && width > 0) draw(canvas.current, elements, only, { columns, width, height });
  }, [elements, only, columns, width, height, theme]);
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
        {element === undefined ? "Point at an element." : `${element.array?.index}: ${jobLook(element).word}`}
      </p>
    </div>
  );
}

/** How strongly elements are drawn that are not among the chosen ones. */
const faintAlpha = 0.15;

interface Size {
  readonly columns: number;
  readonly width: number;
  readonly height: number;
}

function draw(
  canvas: HTMLCanvasElement,
  elements: readonly Job[],
  only: string | undefined,
  { columns, width, height }: Size,
) {
  const scale = devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const pen = canvas.getContext("2d");
  if (pen === null) return;
  pen.scale(scale, scale);
  const paints = new Map<Hue, string>();
  for (const [place, element] of elements.entries()) {
    const { word, hue } = jobLook(element);
    const paint = paints.get(hue) ?? paintOf(colourOf(hue));
    paints.set(hue, paint);
    pen.fillStyle = paint;
    pen.globalAlpha = only === undefined || word === only ? 1 : faintAlpha;
    const [column, row] = [place % columns, Math.floor(place / columns)];
    pen.fillRect(column * cellPx, row * cellPx, cellPx - gapPx, cellPx - gapPx);
  }
}
