import { useCallback, useEffect, useRef, useState } from "react";

/** What of the map a card tells about, and where on the canvas it is. */
export interface Pointed {
  readonly node: string;
  /** Undefined: the node as a whole. */
  readonly gpu: number | undefined;
  readonly x: number;
  readonly y: number;
}

/** A pointer that only crosses the map opens no card, and asks the server for nothing. */
const restMs = 120;

/** What is pointed at: at once by keys, and by a pointer once it rests. */
export function usePointed() {
  const [pointed, set] = useState<Pointed>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const last = useRef("");
  const hide = useCallback(() => {
    clearTimeout(timer.current);
    last.current = "";
    set(undefined);
  }, []);
  const point = useCallback((at: Pointed) => {
    clearTimeout(timer.current);
    last.current = keyOf(at);
    set(at);
  }, []);
  const restOn = useCallback(
    (at: Pointed) => {
      if (keyOf(at) === last.current) return;
      hide();
      last.current = keyOf(at);
      timer.current = setTimeout(set, restMs, at);
    },
    [hide],
  );
  useEffect(() => () => clearTimeout(timer.current), []);
  return { pointed, point, restOn, hide };
}

function keyOf({ node, gpu }: Pointed): string {
  return `${node} ${gpu}`;
}
