import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import { call } from "../../api/call.ts";
import { useConnection } from "../../api/connection.ts";
import { useMe } from "../../api/me.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { useCarried } from "../carried.ts";
import { askFor, type Choice, type Command, type Entry, entriesFor, stillMatching } from "./entries.ts";
import { keepRecent, readRecent } from "./recent.ts";
import { statusOf } from "./status.ts";

export type Doing = Extract<Choice, { deed: unknown }>;

interface PaletteProps {
  readonly onClose: () => void;
  readonly onRun: (command: Command) => void;
  readonly onDeed: (doing: Doing) => void;
}

const noHits: never[] = [];

/** Finds everything by a few letters of its name and does what can be done with it, without a hand on the mouse. */
export function Palette({ onClose, onRun, onDeed }: PaletteProps) {
  const me = useMe();
  const [, go] = useLocation();
  const carry = useCarried();
  const [text, setText] = useState("");
  /** The chosen line, by its key: lines that arrive above it do not move the choice. Undefined = the first. */
  const [chosen, setChosen] = useState<string>();
  const [enterWaits, setEnterWaits] = useState(false);
  const recent = useMemo(() => readRecent(me.user), [me.user]);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const ask = askFor(me, text);
  const search = useQuery({
    queryKey: ["search", ask],
    queryFn: async ({ signal }) => (await call("search", { query: ask, signal })).items,
    enabled: ask.q !== "",
    staleTime: 5_000,
    placeholderData: keepPreviousData,
  });
  const { live } = useConnection();
  const isSettled = ask.q === "" || (search.data !== undefined && !search.isPlaceholderData) || search.isError;
  const hits = ask.q === "" ? noHits : (search.data ?? noHits);
  const entries = entriesFor(me, text, isSettled ? hits : stillMatching(hits, ask.q), recent);
  const found = entries.findIndex(({ key }) => key === chosen);
  const at = Math.max(0, found);

  const choose = ({ choice, recent: kept }: Entry) => {
    if ("type" in choice) {
      setText(choice.type);
      setChosen(undefined);
      input.current?.focus();
      return;
    }
    if (kept !== undefined) keepRecent(me.user, kept);
    onClose();
    if ("go" in choice) go(carry(choice.go));
    else if ("run" in choice) onRun(choice.run);
    else onDeed(choice);
  };
  // Enter that came before the answer is not lost, and does not open what only seemed to be found.
  useEffect(() => {
    if (!enterWaits || !isSettled) return;
    setEnterWaits(false);
    const first = entries[at];
    if (first !== undefined) choose(first);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another line may be out of sight
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at, entries.length]);

  const press = (event: KeyboardEvent) => {
    const move = (to: number) => setChosen(entries[Math.min(Math.max(0, to), entries.length - 1)]?.key);
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown") move(at + 1);
    else if (event.key === "ArrowUp") move(at - 1);
    else if (event.key === "PageDown") move(at + 8);
    else if (event.key === "PageUp") move(at - 8);
    else if (event.key === "Enter") {
      const entry = entries[at];
      if (!isSettled && found < 0) setEnterWaits(true);
      else if (entry !== undefined) choose(entry);
    } else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Find or do" onClose={onClose} light>
      <input
        ref={input}
        className="input"
        role="combobox"
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls="palette-lines"
        aria-activedescendant={entries.length > 0 ? `line-${at}` : undefined}
        aria-label="Find a job, node, account, person, invoice or page, or type an action"
        placeholder="A job, node, person or page; or: drain virtual-5"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(undefined);
          setEnterWaits(false);
        }}
        onKeyDown={press}
      />
      <div className="results" id="palette-lines" role="listbox" aria-label="Found" ref={list}>
        {entries.map((entry, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          <div
            key={entry.key}
            id={`line-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            onClick={() => choose(entry)}
          >
            <span className="cut">{entry.label}</span>
            <span className="quiet small cut">{entry.about}</span>
          </div>
        ))}
      </div>
      <p className="quiet small" role="status">
        {statusOf({ many: entries.length, isAsking: !isSettled, isLost: ask.q !== "" && !live, error: search.error })}
      </p>
    </Dialog>
  );
}
