import type { FleetNodeShape } from "@tessera/wire";
import { type KeyboardEvent, useState } from "react";
import { spellNumber } from "../../format/numbers.ts";
import { nodesFound } from "./find-node.ts";

interface FindFieldProps {
  readonly nodes: readonly FleetNodeShape[];
  readonly onFind: (name: string) => void;
}

/** Finds nodes by name or rack while one types; Enter goes to the next one, Shift and Enter to the one before. */
export function FindField({ nodes, onFind }: FindFieldProps) {
  const [text, setText] = useState("");
  /** Which of those found is shown. */
  const [at, setAt] = useState(0);
  const found = nodesFound(nodes, text);
  const place = at % Math.max(1, found.length);
  const type = (typed: string) => {
    setText(typed);
    setAt(0);
    const [first] = nodesFound(nodes, typed);
    if (first !== undefined) onFind(first);
  };
  const step = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || found.length === 0) return;
    const next = (place + (event.shiftKey ? found.length - 1 : 1)) % found.length;
    setAt(next);
    onFind(found[next]!);
  };
  return (
    <span className="row">
      <input
        className="input"
        style={{ width: 170 }}
        aria-label="Find a node or rack"
        placeholder="Node or rack"
        value={text}
        onChange={(event) => type(event.target.value)}
        onKeyDown={step}
      />
      <span className="quiet small" role="status">
        {text.trim() === ""
          ? ""
          : found.length === 0
            ? "no node or rack has this name"
            : `${spellNumber(place + 1)} of ${spellNumber(found.length)}`}
      </span>
    </span>
  );
}
