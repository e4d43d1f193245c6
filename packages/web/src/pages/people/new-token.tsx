import { type FormEvent, useState } from "react";
import { wordsOf } from "../../api/call.ts";
import { useDraft } from "../../api/draft.ts";
import { refusedAt } from "../../api/refused-at.ts";
import { useAccounts } from "../../api/use-accounts.ts";
import { useAct } from "../../api/use-call.ts";
import { Dialog } from "../../design/dialog.tsx";
import { CommandLine, TextField } from "../../design/inputs.tsx";
import { Button, Notice } from "../../design/parts.tsx";
import { SelectField } from "../../design/select.tsx";
import { tess } from "../../format/command.ts";
import { CurrentPassword } from "./password-form.tsx";
import { noToken, type TokenDraft, tokenBody, tokenWords, wrongInToken } from "./token-form.ts";

interface NewTokenProps {
  /** Whose; absent: one's own. */
  readonly user?: { readonly id: string; readonly name: string };
  readonly asks: boolean;
  readonly onMade: (token: string) => void;
  readonly onClose: () => void;
}

const everywhere = "wherever its user may act";

/** Makes a token for a program, limited to what the program needs. */
export function NewToken({ user, asks, onMade, onClose }: NewTokenProps) {
  const accounts = useAccounts();
  const [draft, keep, drop] = useDraft(`token of ${user?.id ?? "me"}`, noToken);
  // A secret: in no draft.
  const [current, setCurrent] = useState("");
  const create = useAct("createToken");
  const wrong = wrongInToken(draft);
  const body = tokenBody(draft);
  const change = (part: Partial<TokenDraft>) => {
    create.reset();
    keep({ ...draft, ...part });
  };
  const close = () => {
    drop();
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const whose = { ...(user !== undefined && { user: user.id }), ...(current !== "" && { currentPassword: current }) };
    const done = ({ token }: { readonly token: string }) => {
      drop();
      onMade(token);
    };
    create.mutate({ body: { ...body, ...whose } }, { onSuccess: done });
  };
  const places = accounts.map(({ path }) => [path, `${path} and below`] as const);
  const fields = ["label", "expiresIn", "account", "networks", "scopes"];
  return (
    <Dialog title={user === undefined ? "New token" : `New token of ${user.name}`} onClose={close}>
      <form className="stack tight" onSubmit={submit}>
        <TextField
          label="What it is for"
          hint="such as CI or a laptop"
          maxLength={100}
          wrong={refusedAt(create.error, "label")}
          value={draft.label}
          onChange={(label) => change({ label })}
        />
        <TextField
          label="Expires after"
          hint="such as 90d; empty: never, or as the policy says"
          wrong={wrong.life ?? refusedAt(create.error, "expiresIn")}
          value={draft.life}
          onChange={(life) => change({ life })}
        />
        <SelectField
          label="Works at"
          wrong={refusedAt(create.error, "account")}
          value={draft.account}
          of={Object.fromEntries([["", everywhere], ...places])}
          onChange={(account) => change({ account })}
        />
        <TextField
          label="Only for"
          hint="actions such as job.submit job.read; empty: all that its user may do"
          wrong={wrong.scopes ?? refusedAt(create.error, "scopes")}
          value={draft.scopes}
          onChange={(scopes) => change({ scopes })}
        />
        <TextField
          label="Only from"
          hint="networks or addresses such as 10.1.0.0/16; empty: everywhere"
          wrong={wrong.networks ?? refusedAt(create.error, "networks")}
          value={draft.networks}
          onChange={(networks) => change({ networks })}
        />
        {asks && <CurrentPassword value={current} onChange={setCurrent} />}
        {create.error !== null && refusedAt(create.error, ...fields) === undefined && (
          <Notice kind="bad">{wordsOf(create.error)}</Notice>
        )}
        <div className="row wrap">
          <Button kind="primary" type="submit" disabled={Object.keys(wrong).length > 0 || create.isPending}>
            Create
          </Button>
          {Object.keys(wrong).length === 0 && <CommandLine>{tess(tokenWords(body, user?.name))}</CommandLine>}
        </div>
      </form>
    </Dialog>
  );
}
