import type { QueryOf, RefusalKept } from "@tessera/wire";
import { Select } from "../../design/select.tsx";
import { TypedText } from "../../design/typed-text.tsx";
import { instantOf } from "../../format/zone.ts";

export const filterNames = [
  ...["text", "actor", "action", "target", "outcome", "refusal", "address", "from", "to", "privileged"],
] as const;
export type AuditFilter = { readonly [Name in (typeof filterNames)[number]]?: string };

const refusals: Readonly<Record<RefusalKept, string>> = {
  forbidden: "refused by role",
  "not-allowed": "refused by rule",
  "not-found": "not found",
  unauthenticated: "not signed in",
  "rate-limited": "too many requests",
};
const isRefusal = (word: string | undefined): word is RefusalKept =>
  word !== undefined && Object.hasOwn(refusals, word);
const outcomes = ["ok", "refused", ...Object.entries(refusals), "failed", "read", "exported", "changed"] as const;
const texts = [
  { name: "text", label: "Text", width: 180, hint: "Anywhere in the entry" },
  { name: "actor", label: "User", width: 110, hint: "User" },
  { name: "action", label: "Action", width: 120, hint: "job.submit" },
  { name: "target", label: "Target", width: 120, hint: "Target" },
  { name: "address", label: "Address", width: 110, hint: "Address" },
] as const;
/** What the server is asked for. Days are those of the zone in which times are shown; what is no day is left out. */
export function queryOf({ from, to, privileged, refusal, ...rest }: AuditFilter): QueryOf<"listAudit"> {
  const [begin, end] = [instantOf(`${from}T00:00`), instantOf(`${to}T23:59:59.999`)];
  return {
    ...rest,
    ...(isRefusal(refusal) && { refusal }),
    ...(privileged === "yes" && { privileged: true }),
    ...(begin !== undefined && { from: begin }),
    ...(end !== undefined && { to: end }),
  };
}

interface Props {
  readonly values: AuditFilter;
  readonly onChange: (values: Readonly<Record<string, string | undefined>>, how?: { readonly push?: boolean }) => void;
}

export function AuditFilters({ values, onChange }: Props) {
  return (
    <div className="row wrap">
      {texts.map(({ name, label, width, hint }) => (
        <TypedText
          key={name}
          label={label}
          hint={hint}
          width={width}
          value={values[name] ?? ""}
          onTyped={(value) => onChange({ [name]: value })}
        />
      ))}
      <Select
        style={{ width: 150 }}
        aria-label="Outcome"
        value={values.refusal ?? values.outcome ?? ""}
        of={[["", "Any outcome"], ...outcomes]}
        onChange={(chosen) =>
          onChange(isRefusal(chosen) ? { refusal: chosen, outcome: "" } : { refusal: "", outcome: chosen }, {
            push: true,
          })
        }
      />
      {(["from", "to"] as const).map((name) => (
        <input
          key={name}
          type="date"
          className="input"
          style={{ width: 140 }}
          aria-label={name === "from" ? "From day" : "To day"}
          value={values[name] ?? ""}
          onChange={(event) => onChange({ [name]: event.target.value }, { push: true })}
        />
      ))}
      <button
        type="button"
        className="chip"
        title="Only what people did to accounts, people, roles, nodes, prices and rules"
        aria-pressed={values.privileged === "yes"}
        onClick={() => onChange({ privileged: values.privileged === "yes" ? undefined : "yes" }, { push: true })}
      >
        special rights
      </button>
    </div>
  );
}
