import type { Grant, VolumeShape } from "@tessera/wire";
import { type FormEvent, useState } from "react";
import { useDraft } from "../../api/draft.ts";
import { refusedAt } from "../../api/refused-at.ts";
import { useAll } from "../../api/use-all.ts";
import { useAct } from "../../api/use-call.ts";
import { Confirm } from "../../design/confirm.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { CommandLine, TextField } from "../../design/inputs.tsx";
import { Button, Card, Empty, Skeleton } from "../../design/parts.tsx";
import { tess } from "../../format/command.ts";
import { useOpen } from "../../frame/open.ts";
import { grantWords } from "./grant-words.ts";
import { Grants } from "./grants.tsx";

interface VolumesProps {
  readonly account: string;
  readonly mayMake: boolean;
  readonly mayShare: boolean;
}

/** Folders of the machines that jobs of an account can mount, and which jobs may. */
export function Volumes({ account, mayMake, mayShare }: VolumesProps) {
  const { data } = useAll("listVolumes", { at: { account } });
  const [making, openNew] = useOpen(`new volume ${account}`);
  const [sharing, openGrants] = useOpen(`grants ${account}`);
  const [deleting, setDeleting] = useState<string | undefined>();
  const remove = useAct("deleteVolume", () => `${deleting} was deleted; its files stay.`);
  const shared = data?.find(({ account: of, name }) => of === account && name === sharing);
  return (
    <Card
      title="Volumes"
      beside={
        mayMake && (
          <Button small onClick={() => openNew("")}>
            New volume
          </Button>
        )
      }
    >
      {data === undefined ? (
        <Skeleton />
      ) : data.length === 0 ? (
        <Empty title="No volumes" command={`npx tess volume create data --path /srv/data --account ${account}`}>
          A volume is a folder of the machines that jobs can mount.
        </Empty>
      ) : (
        <ul className="list">
          {data.map((volume) => (
            <Volume
              key={`${volume.account} ${volume.name}`}
              volume={volume}
              own={volume.account === account}
              onShare={mayShare ? () => openGrants(volume.name) : undefined}
              onDelete={mayMake ? () => setDeleting(volume.name) : undefined}
            />
          ))}
        </ul>
      )}
      {making !== undefined && <NewVolume account={account} onClose={() => openNew(undefined)} />}
      {shared !== undefined && <Grants volume={shared} onClose={() => openGrants(undefined)} />}
      {deleting !== undefined && (
        <Confirm
          title={`Delete the volume ${deleting} of ${account}?`}
          act="Delete the volume"
          busy={remove.isPending}
          onAct={() =>
            remove.mutate({ at: { account, volume: deleting } }, { onSuccess: () => setDeleting(undefined) })
          }
          onClose={() => setDeleting(undefined)}
        >
          <p>The folder and its files stay. Jobs that wait for the volume cannot start any more.</p>
          <CommandLine>{tess(["volume", "delete", deleting, "--account", account])}</CommandLine>
        </Confirm>
      )}
    </Card>
  );
}

function Volume(props: {
  volume: VolumeShape;
  own: boolean;
  onShare: (() => void) | undefined;
  onDelete: (() => void) | undefined;
}) {
  const { volume, own, onShare, onDelete } = props;
  const { name, account, mount, path, readOnly, grants } = volume;
  return (
    <li className="stack tight">
      <div className="row apart wrap">
        <span>
          <strong>{name}</strong>{" "}
          <span className="quiet small">
            {own ? "" : `of ${account}, `}
            {readOnly ? "read only" : "read and write"}
          </span>
        </span>
        {own && (
          <span className="row">
            {onShare !== undefined && (
              <Button small kind="plain" aria-label={`Grants of ${name}`} onClick={onShare}>
                Grants
              </Button>
            )}
            {onDelete !== undefined && (
              <Button small kind="plain" aria-label={`Delete ${name}`} onClick={onDelete}>
                Delete
              </Button>
            )}
          </span>
        )}
      </div>
      <span className="small">
        <code className="break">{`mounts: {/data: ${mount}}`}</code>
        {path !== undefined && (
          <>
            {" "}
            <code className="break quiet">{path}</code>
          </>
        )}
      </span>
      {own && <GrantList grants={grants} />}
    </li>
  );
}

function GrantList({ grants }: { grants: readonly Grant[] | undefined }) {
  if (grants === undefined) return <span className="quiet small">for jobs of the account and below</span>;
  if (grants.length === 0) return <span className="quiet small">for no job</span>;
  return grants.map((grant) => (
    <span key={grantWords(grant)} className="small">
      {grantWords(grant)}
    </span>
  ));
}

function NewVolume({ account, onClose }: { account: string; onClose: () => void }) {
  const [draft, setDraft, drop] = useDraft(`volume ${account}`, { name: "", path: "", readOnly: false });
  const make = useAct("putVolume", () => `${draft.name} is a volume of ${account}.`);
  const change = (part: Partial<typeof draft>) => {
    make.reset();
    setDraft({ ...draft, ...part });
  };
  const close = () => {
    drop();
    onClose();
  };
  const badPath = draft.path !== "" && !draft.path.startsWith("/");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { name, path, readOnly } = draft;
    make.mutate({ at: { account, volume: name }, body: { path, readOnly } }, { onSuccess: close });
  };
  const { name, path, readOnly } = draft;
  return (
    <Dialog title={`New volume of ${account}`} onClose={close}>
      <form className="stack tight" onSubmit={submit}>
        <TextField
          label="Name"
          hint="as jobs name it"
          wrong={refusedAt(make.error, "volume", "name")}
          value={name}
          onChange={(text) => change({ name: text })}
        />
        <TextField
          label="Folder"
          hint="an absolute path on the machines, such as /srv/data; jobs can then reach what is in it"
          wrong={badPath ? `${path} is not absolute: begin with /.` : refusedAt(make.error, "path")}
          value={path}
          onChange={(text) => change({ path: text })}
        />
        <label className="row">
          <input type="checkbox" checked={readOnly} onChange={(event) => change({ readOnly: event.target.checked })} />
          Jobs only read it
        </label>
        <div className="row wrap">
          <Button
            kind="primary"
            type="submit"
            disabled={name === "" || path === "" || badPath || make.isPending || make.isError}
          >
            Make it
          </Button>
          <CommandLine>
            {tess([
              "volume",
              "create",
              name || "NAME",
              "--path",
              path || "FOLDER",
              ...(readOnly ? ["--read-only"] : []),
              "--account",
              account,
            ])}
          </CommandLine>
        </div>
      </form>
    </Dialog>
  );
}
