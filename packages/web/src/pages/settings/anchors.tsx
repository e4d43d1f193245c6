import type { AnchorAdd, AnchorShape } from "@tessera/wire";
import { type FormEvent, useState } from "react";
import { wordsOf } from "../../api/call.ts";
import { useMay } from "../../api/me.tsx";
import { refusedAt } from "../../api/refused-at.ts";
import { useAct, useCall } from "../../api/use-call.ts";
import { Confirm } from "../../design/confirm.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { CommandLine, TextField } from "../../design/inputs.tsx";
import { Button, Card, Empty, Notice, Skeleton, Time } from "../../design/parts.tsx";
import { SelectField } from "../../design/select.tsx";
import { tess } from "../../format/command.ts";

/** Where heads of the history are kept outside the server; for the platform owner. */
export function Anchors() {
  const may = useMay();
  const [adding, setAdding] = useState(false);
  if (!may("policy.write")) return null;
  return (
    <Card
      title="Anchors of the history"
      beside={
        <Button small onClick={() => setAdding(true)}>
          Add an anchor
        </Button>
      }
    >
      <List />
      {adding && <Add onClose={() => setAdding(false)} />}
    </Card>
  );
}

function List() {
  const { data } = useCall("listAnchors");
  const [removing, setRemoving] = useState<AnchorShape | undefined>();
  const remove = useAct("removeAnchor", () => "The anchor was removed.");
  if (data === undefined) return <Skeleton />;
  if (data.items.length === 0)
    return (
      <Empty title="No head is kept outside the server" command="npx tess anchor add folder /mnt/other/heads">
        Who holds the store could rewrite its history unnoticed.
      </Empty>
    );
  return (
    <>
      <ul className="list">
        {data.items.map((anchor) => (
          <li key={anchor.id} className="stack tight">
            <div className="row apart wrap">
              <span>
                {anchor.kind} <code className="break">{anchor.to}</code>{" "}
                <span className="quiet small">
                  {anchor.row === undefined ? "nothing written yet" : `row ${anchor.row}`}
                  {anchor.writtenAt !== undefined && (
                    <>
                      , <Time at={anchor.writtenAt} />
                    </>
                  )}
                </span>
              </span>
              <Button small kind="plain" aria-label={`Remove ${anchor.to}`} onClick={() => setRemoving(anchor)}>
                Remove
              </Button>
            </div>
            {anchor.failure !== undefined && <Notice kind="warn">{anchor.failure}</Notice>}
          </li>
        ))}
      </ul>
      {removing !== undefined && (
        <Confirm
          title="Remove the anchor?"
          act="Remove the anchor"
          busy={remove.isPending}
          onAct={() => remove.mutate({ at: { anchor: removing.id } }, { onSuccess: () => setRemoving(undefined) })}
          onClose={() => setRemoving(undefined)}
        >
          <p>
            No more heads are written to <code className="break">{removing.to}</code>.{" "}
            {data.items.length === 1 && "It is the last one: from then on nothing outside shows a rewritten history. "}
            What it holds stays there, and can still be verified against.
          </p>
          <CommandLine>{`tess anchor remove ${removing.id}`}</CommandLine>
        </Confirm>
      )}
    </>
  );
}

const kinds: Readonly<Record<AnchorAdd["kind"], string>> = {
  folder: "a folder of the server's machine, best on another machine's mount",
  http: "an address that gets a POST of one line",
  tessera: "another Tessera",
};

function Add({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState<AnchorAdd["kind"]>("folder");
  const [to, setTo] = useState("");
  // A secret: in no draft.
  const [token, setToken] = useState("");
  const add = useAct("addAnchor", () => "Each new head is written there from now on.");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate({ body: { kind, to, ...(token !== "" && { token }) } }, { onSuccess: onClose });
  };
  return (
    <Dialog title="Add an anchor" onClose={onClose}>
      <form className="stack tight" onSubmit={submit}>
        <SelectField
          label="Kind"
          value={kind}
          of={kinds}
          onChange={(value) => {
            add.reset();
            setKind(value);
          }}
        />
        <TextField
          label={kind === "folder" ? "Folder" : "Address"}
          hint={kind === "folder" ? "such as /mnt/other/heads" : "such as https://log.example/heads"}
          wrong={refusedAt(add.error, "to")}
          value={to}
          onChange={(text) => {
            add.reset();
            setTo(text);
          }}
        />
        {kind !== "folder" && (
          <TextField
            label="Token"
            type="password"
            autoComplete="new-password"
            hint={`sent as bearer token, kept encrypted${kind === "tessera" ? "; one with the scope witness.write" : "; may be empty"}`}
            wrong={refusedAt(add.error, "token")}
            value={token}
            onChange={setToken}
          />
        )}
        {add.error !== null && refusedAt(add.error, "to", "token") === undefined && (
          <Notice kind="bad">{wordsOf(add.error)}</Notice>
        )}
        <div className="row wrap">
          <Button kind="primary" type="submit" disabled={to === "" || add.isPending || add.isError}>
            Add it
          </Button>
          <CommandLine>{tess(["anchor", "add", kind, to || "TO"])}</CommandLine>
        </div>
      </form>
    </Dialog>
  );
}
