import type { Account } from "@tessera/wire";
import { type FormEvent, useState } from "react";
import { Link, useLocation } from "wouter";
import { wordsOf } from "../../api/call.ts";
import { useAct } from "../../api/use-call.ts";
import { Dialog } from "../../design/dialog.tsx";
import { CommandLine, TextField } from "../../design/inputs.tsx";
import { Button, Card, Notice } from "../../design/parts.tsx";
import { count } from "../../format/numbers.ts";

/** Deletes an account that is empty, after its name was typed. */
export function DeleteAccount({ account, isEmpty }: { account: Account; isEmpty: boolean }) {
  const [asking, setAsking] = useState(false);
  const inTheWay = [
    ...(isEmpty ? [] : ["accounts below it"]),
    ...(account.liveJobs > 0
      ? [`${count(account.liveJobs, "job")} that ${account.liveJobs === 1 ? "has" : "have"} not ended`]
      : []),
  ];
  return (
    <Card
      title="Delete"
      beside={
        <Button small kind="danger" disabled={inTheWay.length > 0} onClick={() => setAsking(true)}>
          Delete the account
        </Button>
      }
    >
      {inTheWay.length > 0 ? (
        <p>
          {account.path} has {inTheWay.join(" and ")}.{" "}
          {account.liveJobs > 0 && <Link href={`/jobs?account=${account.path}`}>Show the jobs</Link>} Only an empty
          account can be deleted.
        </p>
      ) : (
        <p>It has no accounts below it and no jobs that have not ended: it can be deleted.</p>
      )}
      {asking && <Ask account={account} onClose={() => setAsking(false)} />}
    </Card>
  );
}

function Ask({ account: { path, revision }, onClose }: { account: Account; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const [, go] = useLocation();
  const remove = useAct("deleteAccount", () => `${path} was deleted.`, { leave: () => go("/quota") });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    remove.mutate({ at: { account: path }, ifMatch: revision });
  };
  return (
    <Dialog title={`Delete ${path}?`} onClose={onClose}>
      <form className="stack tight" onSubmit={submit}>
        <p>
          Its quota is free for others, its secrets and the names of its volumes are lost, its service accounts are
          refused from now on, and every role at it ends. Past jobs, usage, invoices and the audit trail stay. It cannot
          be taken back.
        </p>
        <TextField label={`Type ${path} to delete it`} value={typed} onChange={setTyped} />
        {remove.error !== null && <Notice kind="bad">{wordsOf(remove.error)}</Notice>}
        <div className="row wrap">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" disabled={typed !== path || remove.isPending}>
            Delete {path}
          </Button>
          <CommandLine>{`tess account delete ${path}`}</CommandLine>
        </div>
      </form>
    </Dialog>
  );
}
