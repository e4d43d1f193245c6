import { useState } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { Dialog } from "../design/dialog.tsx";
import { Button, Field } from "../design/parts.tsx";

interface View {
  readonly name: string;
  readonly search: string;
}

const viewsMax = 20;

function placeOf(page: string): string {
  return `tessera-views ${page}`;
}

function readViews(page: string): readonly View[] {
  try {
    return JSON.parse(localStorage.getItem(placeOf(page)) ?? "[]") as View[];
  } catch {
    return [];
  }
}

/** Filters, sorting and columns under a name, kept in this browser. Since all of them are in the address, so is a view. */
export function Views() {
  const [page] = useLocation();
  const search = useSearch();
  const [views, setViews] = useState(() => readViews(page));
  const [naming, setNaming] = useState(false);
  const keep = (next: readonly View[]) => {
    try {
      localStorage.setItem(placeOf(page), JSON.stringify(next));
    } catch {} // a browser that keeps nothing has it until the page is left
    setViews(next);
  };
  const here = views.find((view) => view.search === search);
  return (
    <div className="row wrap">
      {views.map((view) => (
        <Link
          key={view.name}
          href={`${page}?${view.search}`}
          className="chip"
          {...(view === here && { "aria-current": "true" as const })}
        >
          {view.name}
        </Link>
      ))}
      {here !== undefined ? (
        <button type="button" className="chip" onClick={() => keep(views.filter((view) => view !== here))}>
          forget this view
        </button>
      ) : (
        search !== "" &&
        views.length < viewsMax && (
          <button type="button" className="chip" onClick={() => setNaming(true)}>
            save this view
          </button>
        )
      )}
      {naming && (
        <Naming
          onClose={() => setNaming(false)}
          onName={(name) => {
            keep([...views.filter((view) => view.name !== name), { name, search }]);
            setNaming(false);
          }}
        />
      )}
    </div>
  );
}

function Naming({ onName, onClose }: { onName: (name: string) => void; onClose: () => void }) {
  const [name, setName] = useState("");
  return (
    <Dialog
      title="Save this view"
      onClose={onClose}
      footer={
        <Button kind="primary" disabled={name.trim() === ""} onClick={() => onName(name.trim())}>
          Save
        </Button>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== "") onName(name.trim());
        }}
      >
        <Field label="Name">
          {(props) => (
            <input
              {...props}
              className="input"
              maxLength={40}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
