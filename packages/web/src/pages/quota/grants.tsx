import type { Grant, VolumeShape } from "@tessera/wire";
import { type FormEvent, useState } from "react";
import { wordsOf } from "../../api/call.ts";
import { useDraft } from "../../api/draft.ts";
import { useAct } from "../../api/use-call.ts";
import { Confirm } from "../../design/confirm.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { TextField } from "../../design/inputs.tsx";
import { Button, Notice } from "../../design/parts.tsx";
import { SelectField } from "../../design/select.tsx";
import { grantWords, noGrant, readGrant } from "./grant-words.ts";

/** Which jobs may mount a volume: a job needs one grant, and must meet all of its conditions. */
export function Grants({ volume, onClose }: { volume: VolumeShape; onClose: () => void }) {
  const { account, name, grants, revision } = volume;
  const [draft, setDraft, drop] = useDraft(`grant of ${account}/${name}`, noGrant);
  const put = useAct("putGrants", () => `The grants of ${name} were changed.`);
  /** What is taken back once it is confirmed, and what stays. */
  const [asking, setAsking] = useState<{
    readonly words: string;
    readonly left: Grant[] | null;
    readonly seen: string | undefined;
  }>();
  const forget = () => {
    setDraft(noGrant);
    drop();
  };
  const close = () => {
    drop();
    onClose();
  };
  // All grants are replaced: those that others have changed since they were seen are shown instead.
  const save = (now: Grant[] | null, seen: string | undefined) =>
    put.mutate(
      { at: { account, volume: name }, body: { grants: now }, ...(seen !== undefined && { ifMatch: seen }) },
      { onSuccess: forget, onSettled: () => setAsking(undefined) },
    );
  const change = (part: Partial<typeof draft>) => {
    put.reset();
    setDraft({ ...draft, ...part });
  };
  const add = (event: FormEvent) => {
    event.preventDefault();
    save([...(grants ?? []), readGrant(draft)], revision);
  };
  return (
    <Dialog title={`Grants of ${name}`} onClose={close}>
      <div className="stack">
        {grants === undefined ? (
          <p>All jobs of {account} and below may mount it. The first grant replaces this rule.</p>
        ) : (
          <>
            {grants.length === 0 && <p>No job may mount it.</p>}
            <ul className="list">
              {grants.map((grant, i) => (
                <li key={grantWords(grant)} className="row apart">
                  <span>{grantWords(grant)}</span>
                  <Button
                    small
                    disabled={put.isPending}
                    aria-label={`Take back grant ${i + 1}`}
                    onClick={() =>
                      setAsking({ words: grantWords(grant), left: grants.filter((_, at) => at !== i), seen: revision })
                    }
                  >
                    Take back
                  </Button>
                </li>
              ))}
            </ul>
            <div className="row">
              <Button
                small
                disabled={put.isPending}
                onClick={() => setAsking({ words: `All ${grants.length} grants`, left: null, seen: revision })}
              >
                Take all back: jobs of {account} and below may mount it
              </Button>
            </div>
          </>
        )}
        {asking !== undefined && (
          <Confirm
            title="Take it back?"
            act="Take it back"
            busy={put.isPending}
            onAct={() => save(asking.left, asking.seen)}
            onClose={() => setAsking(undefined)}
          >
            <p>
              {asking.words}:{" "}
              {asking.left === null
                ? `from now on all jobs of ${account} and below may mount ${name}.`
                : asking.left.length === 0
                  ? `from now on no job may mount ${name}.`
                  : `new jobs may mount ${name} only by the other grants.`}{" "}
              Jobs that run keep their mounts.
            </p>
          </Confirm>
        )}
        <form className="stack tight" onSubmit={add}>
          <h3>Add a grant</h3>
          <SelectField
            label="Access"
            value={draft.access}
            of={{ read: "read", write: "read and write" }}
            onChange={(access) => change({ access })}
          />
          <TextField
            label="Jobs of"
            hint={`accounts, with commas between; empty: ${account} and below`}
            value={draft.accounts}
            onChange={(accounts) => change({ accounts })}
          />
          <div className="fields">
            <TextField
              label="Of users with a role"
              hint="such as team-admin"
              value={draft.roles}
              onChange={(roles) => change({ roles })}
            />
            <TextField
              label="Of tenants that are"
              hint="confidential, untrusted or trusted"
              value={draft.trust}
              onChange={(trust) => change({ trust })}
            />
          </div>
          <div className="fields">
            <TextField
              label="In regions"
              hint="such as eu"
              value={draft.regions}
              onChange={(regions) => change({ regions })}
            />
            <TextField
              label="For purposes"
              hint="such as training"
              value={draft.purposes}
              onChange={(purposes) => change({ purposes })}
            />
          </div>
          <p className="quiet small">{grantWords(readGrant(draft))}. Jobs that run keep their mounts.</p>
          {put.error !== null && <Notice kind="bad">{wordsOf(put.error)}</Notice>}
          <div className="row">
            <Button kind="primary" type="submit" disabled={put.isPending || put.isError}>
              Add it
            </Button>
          </div>
        </form>
      </div>
    </Dialog>
  );
}
