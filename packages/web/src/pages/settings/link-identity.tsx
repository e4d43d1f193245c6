import type { ProviderShape } from "@tessera/wire";
import type { FormEvent } from "react";
import { wordsOf } from "../../api/call.ts";
import { useDraft } from "../../api/draft.ts";
import { refusedAt } from "../../api/refused-at.ts";
import { useAct } from "../../api/use-call.ts";
import { Dialog } from "../../design/dialog.tsx";
import { CommandLine, TextField } from "../../design/inputs.tsx";
import { Button, Notice } from "../../design/parts.tsx";
import { tess } from "../../format/command.ts";

/** Says which user a person of a provider is; without it a user is made at the first sign-in. */
export function LinkIdentity({ provider, onClose }: { provider: ProviderShape; onClose: () => void }) {
  const { name, label } = provider;
  const [{ user, subject }, keep, drop] = useDraft(`link ${name}`, { user: "", subject: "" });
  const link = useAct("linkIdentity", () => `${subject} of ${label} signs in as ${user}.`);
  const change = (part: { readonly user?: string; readonly subject?: string }) => {
    link.reset();
    keep({ user, subject, ...part });
  };
  const close = () => {
    drop();
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    link.mutate({ at: { provider: name }, body: { user, subject } }, { onSuccess: close });
  };
  return (
    <Dialog title={`Link a person of ${label}`} onClose={close}>
      <form className="stack tight" onSubmit={submit}>
        <p>The person then signs in with {label} as a user that exists already, with all roles of that user.</p>
        <TextField
          label="User"
          hint="an existing one, by name or id"
          maxLength={200}
          wrong={refusedAt(link.error, "user")}
          value={user}
          onChange={(text) => change({ user: text })}
        />
        <TextField
          label="Subject"
          hint="what the provider calls the person: the claim sub, or externalId of SCIM"
          maxLength={255}
          wrong={refusedAt(link.error, "subject")}
          value={subject}
          onChange={(text) => change({ subject: text })}
        />
        {link.error !== null && refusedAt(link.error, "user", "subject") === undefined && (
          <Notice kind="bad">{wordsOf(link.error)}</Notice>
        )}
        <div className="row wrap">
          <Button
            kind="primary"
            type="submit"
            disabled={user === "" || subject === "" || link.isPending || link.isError}
          >
            Link them
          </Button>
          <CommandLine>{tess(["provider", "link", name, user || "USER", subject || "SUBJECT"])}</CommandLine>
        </div>
      </form>
    </Dialog>
  );
}
