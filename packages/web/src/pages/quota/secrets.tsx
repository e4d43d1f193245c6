import { type FormEvent, useState } from "react";
import { refusedAt } from "../../api/refused-at.ts";
import { useAll } from "../../api/use-all.ts";
import { useAct } from "../../api/use-call.ts";
import { Confirm } from "../../design/confirm.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { CommandLine, TextField } from "../../design/inputs.tsx";
import { Button, Card, Empty, Notice, Skeleton, Time } from "../../design/parts.tsx";

const namePattern = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

interface SecretsProps {
  readonly account: string;
  readonly mayWrite: boolean;
}

/** The names of the secrets that jobs of an account can use; a value is never shown again. */
export function Secrets({ account, mayWrite }: SecretsProps) {
  const { data } = useAll("listSecrets", { at: { account } });
  /** The secret that is set; empty = a new one. */
  const [setting, setSetting] = useState<string | undefined>();
  const [deleting, setDeleting] = useState<string | undefined>();
  const remove = useAct("deleteSecret", () => `${deleting} was deleted.`);
  return (
    <Card
      title="Secrets"
      beside={
        mayWrite && (
          <Button small onClick={() => setSetting("")}>
            Set a secret
          </Button>
        )
      }
    >
      {data === undefined ? (
        <Skeleton />
      ) : data.length === 0 ? (
        <Empty title="No secrets" command={`npx tess secret set HF_TOKEN --account ${account}`}>
          Jobs of this account and below get a secret as a variable of their environment.
        </Empty>
      ) : (
        <ul className="list">
          {data.map(({ account: of, name, changedAt }) => (
            <li key={`${of} ${name}`} className="row apart wrap">
              <span>
                <code>{name}</code>{" "}
                <span className="quiet small">
                  {of === account ? "" : `of ${of}, `}set <Time at={changedAt} />
                </span>
              </span>
              {mayWrite && of === account && (
                <span className="row">
                  <Button small kind="plain" aria-label={`Replace ${name}`} onClick={() => setSetting(name)}>
                    Replace
                  </Button>
                  <Button small kind="plain" aria-label={`Delete ${name}`} onClick={() => setDeleting(name)}>
                    Delete
                  </Button>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {setting !== undefined && (
        <SetSecret
          account={account}
          name={setting}
          known={(data ?? []).filter((each) => each.account === account).map(({ name }) => name)}
          onClose={() => setSetting(undefined)}
        />
      )}
      {deleting !== undefined && (
        <Confirm
          title={`Delete ${deleting} of ${account}?`}
          act="Delete the secret"
          busy={remove.isPending}
          onAct={() =>
            remove.mutate({ at: { account, secret: deleting } }, { onSuccess: () => setDeleting(undefined) })
          }
          onClose={() => setDeleting(undefined)}
        >
          <p>
            Jobs of {account} and below that name it do not start any more. Running jobs keep the value that they have.
            The value cannot be brought back.
          </p>
          <CommandLine>{`tess secret delete ${deleting} --account ${account}`}</CommandLine>
        </Confirm>
      )}
    </Card>
  );
}

interface SetSecretProps {
  readonly account: string;
  readonly name: string;
  readonly known: readonly string[];
  readonly onClose: () => void;
}

/** The value is kept nowhere but in its field: no draft, and nothing is left when the dialog closes. */
function SetSecret({ account, name: given, known, onClose }: SetSecretProps) {
  const [name, setName] = useState(given);
  const [value, setValue] = useState("");
  const set = useAct("putSecret", () => `${name} was set for ${account}.`);
  const badName = name !== "" && !namePattern.test(name);
  const isReplaced = known.includes(name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    set.mutate({ at: { account, secret: name }, body: { value } }, { onSuccess: onClose });
  };
  return (
    <Dialog title={given === "" ? `Set a secret of ${account}` : `Replace ${given} of ${account}`} onClose={onClose}>
      <form className="stack tight" onSubmit={submit} autoComplete="off">
        {given === "" && (
          <TextField
            label="Name"
            hint="as it is called in the job's environment, such as HF_TOKEN"
            wrong={
              badName ? `${name} is not a name: use letters, digits and _, not beginning with a digit.` : undefined
            }
            value={name}
            onChange={(text) => {
              set.reset();
              setName(text);
            }}
          />
        )}
        <TextField
          label="Value"
          type="password"
          autoComplete="new-password"
          spellCheck={false}
          maxLength={65_536}
          hint="sealed by the server, and never shown again. A value of several lines: use the command line"
          wrong={refusedAt(set.error, "value", "secret")}
          value={value}
          onChange={(text) => {
            set.reset();
            setValue(text);
          }}
        />
        {isReplaced && <Notice kind="warn">{name} has a value. Jobs that start from now on get the new one.</Notice>}
        <div className="row wrap">
          <Button
            kind="primary"
            type="submit"
            disabled={name === "" || badName || value === "" || set.isPending || set.isError}
          >
            {isReplaced ? "Replace it" : "Set it"}
          </Button>
          <CommandLine>{`tess secret set ${name === "" ? "NAME" : name} --account ${account} --from-file FILE`}</CommandLine>
        </div>
      </form>
    </Dialog>
  );
}
