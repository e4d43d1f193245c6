import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { SearchHit, WhoAmI } from "@tessera/wire";
import { useState } from "react";
import { useLocation } from "wouter";
import { call } from "../api/call.ts";
import { useMe } from "../api/me.tsx";
import { Dialog } from "../design/dialog.tsx";
import { linksFor } from "./pages.ts";

interface Hit {
  readonly href: string;
  readonly label: string;
  readonly kind: string;
}

/** Finds pages here, and jobs, nodes, accounts, people and invoices on the server, by a part of their name. */
export function Search({ onClose }: { onClose: () => void }) {
  const me = useMe();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [, go] = useLocation();
  const asked = text.trim();
  const { data: things = [], isFetching } = useQuery({
    queryKey: ["search", asked],
    queryFn: async ({ signal }) => (await call("search", { query: { q: asked }, signal })).items.map(hitOf),
    enabled: asked !== "",
    staleTime: 5_000,
    placeholderData: keepPreviousData,
  });
  const pages = pagesOf(me).filter(({ label }) => label.toLowerCase().includes(asked.toLowerCase()));
  const hits = asked === "" ? pages : [...pages, ...things];
  const open = (hit: Hit | undefined) => {
    if (hit === undefined) return;
    onClose();
    go(hit.href);
  };
  return (
    <Dialog title="Search" onClose={onClose}>
      <input
        className="input"
        role="combobox"
        aria-expanded="true"
        aria-controls="search-results"
        aria-activedescendant={hits.length > 0 ? `hit-${at}` : undefined}
        aria-label="Search jobs, nodes, accounts and pages"
        placeholder="A job, node, account or page"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setAt(Math.min(at + 1, hits.length - 1));
          else if (event.key === "ArrowUp") setAt(Math.max(0, at - 1));
          else if (event.key === "Enter") open(hits[at]);
          else return;
          event.preventDefault();
        }}
      />
      <div className="results" id="search-results" role="listbox" aria-label="Results">
        {hits.map((hit, i) => (
          <a
            key={`${hit.kind} ${hit.href}`}
            id={`hit-${i}`}
            role="option"
            aria-selected={i === at}
            tabIndex={-1}
            href={hit.href}
            onClick={(event) => {
              event.preventDefault();
              open(hit);
            }}
          >
            <span className="cut">{hit.label}</span>
            <span className="quiet small">{hit.kind}</span>
          </a>
        ))}
        {hits.length === 0 && !isFetching && <p className="quiet">Nothing found that you may see.</p>}
      </div>
    </Dialog>
  );
}

function pagesOf(me: WhoAmI): Hit[] {
  return linksFor(me).map(({ href, label }) => ({ href, label, kind: "page" }));
}

function hitOf({ address, name, kind, about }: SearchHit): Hit {
  return { href: address, label: name, kind: about === kind ? kind : `${kind}, ${about}` };
}
