import { useState } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { useMe } from "../api/me.tsx";
import { Dialog } from "../design/dialog.tsx";
import { Button, Field } from "../design/parts.tsx";
import { pageAt } from "../frame/pages.ts";
import { keepViews, nameMax, readViews, type View, viewOf, viewsMax } from "./kept-views.ts";

/**
 * Filters, order and columns under a name, kept in this browser for each user. `filters`: the parameters of the address
 * that cut what the page shows.
 */
export function Views({ filters }: { filters: readonly string[] }) {
  const { user } = useMe();
  const page = pageAt(useLocation()[0]);
  const search = viewOf(useSearch(), filters);
  const [views, setViews] = useState(() => readViews(user, page));
  const [naming, setNaming] = useState(false);
  const change = (next: readonly View[]) => {
    keepViews(user, page, next);
    setViews(next);
  };
  const here = views.find((view) => view.search === search);
  const isFull = views.length >= viewsMax;
  if (views.length === 0 && search === "") return null;
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
        <button type="button" className="chip" onClick={() => change(views.filter((view) => view !== here))}>
          forget this view
        </button>
      ) : (
        search !== "" &&
        !isFull && (
          <button type="button" className="chip" onClick={() => setNaming(true)}>
            save this view
          </button>
        )
      )}
      {naming && (
        <Naming
          onClose={() => setNaming(false)}
          onName={(name) => {
            change([...views.filter((view) => view.name !== name), { name, search }]);
            setNaming(false);
          }}
        />
      )}
    </div>
  );
}

function Naming({ onName, onClose }: { onName: (name: string) => void; onClose: () => void }) {
  const [name, setName] = useState("");
  const done = () => {
    if (name.trim() !== "") onName(name.trim());
  };
  return (
    <Dialog
      title="Save this view"
      onClose={onClose}
      footer={
        <Button kind="primary" disabled={name.trim() === ""} onClick={done}>
          Save
        </Button>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          done();
        }}
      >
        <Field label="Name">
          {(props) => (
            <input
              {...props}
              className="input"
              maxLength={nameMax}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
