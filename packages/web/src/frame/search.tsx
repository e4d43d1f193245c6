import { useQuery } from "@tanstack/react-query";
import type { Job, NodeShape, WhoAmI } from "@tessera/wire";
import { useState } from "react";
import { useLocation } from "wouter";
import { call } from "../api/call.ts";
import { useMe } from "../api/me.tsx";
import { Dialog } from "../design/dialog.tsx";
import { nodeAddress } from "./address.ts";
import { linksFor } from "./pages.ts";

interface Hit {
  readonly href: string;
  readonly label: string;
  readonly kind: string;
}

/** Finds pages, jobs, nodes and accounts by a part of their name, and jobs by their id. */
export function Search({ onClose }: { onClose: () => void }) {
  const me = useMe();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [, go] = useLocation();
  const { data: things = [] } = useQuery({ queryKey: ["search-things"], queryFn: () => gather(me), staleTime: 15_000 });
  const hits = find([...pagesOf(me), ...things], text);
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
        {hits.length === 0 && <p className="quiet">Nothing found that you may see.</p>}
      </div>
    </Dialog>
  );
}

function pagesOf(me: WhoAmI): Hit[] {
  return linksFor(me).map(({ href, label }) => ({ href, label, kind: "page" }));
}

const hitsMax = 30;

function find(things: readonly Hit[], text: string): Hit[] {
  const wanted = text.trim().toLowerCase();
  const found = things.filter(({ label, href }) => label.toLowerCase().includes(wanted) || href.endsWith(wanted));
  if (/^job_[a-z0-9.]+$/.test(wanted) && found.length === 0)
    return [{ href: `/jobs/${wanted}`, label: wanted, kind: "job" }];
  return found.slice(0, hitsMax);
}

async function gather(me: WhoAmI): Promise<Hit[]> {
  const may = (action: string) => me.may.includes(action);
  const [jobs, nodes, accounts] = await Promise.all([
    may("job.read") ? call("listJobs", { query: { state: "all", limit: 1000 } }) : { items: [] as Job[] },
    call("listNodes", { query: { limit: 1000 } }) as Promise<{ items: NodeShape[] }>,
    may("account.read") ? call("listAccounts", { query: { limit: 1000 } }) : { items: [] },
  ]);
  return [
    ...jobs.items.map(({ id, name }) => ({ href: `/jobs/${id}`, label: `${name} · ${id}`, kind: "job" })),
    ...nodes.items.map(({ name }) => ({ href: nodeAddress(name), label: name, kind: "node" })),
    ...accounts.items
      .filter(({ path }) => path !== "")
      .map(({ path }) => ({ href: `/quota/${path}`, label: path, kind: "account" })),
  ];
}
