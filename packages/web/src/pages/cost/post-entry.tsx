import type { EntryPost, EntryShape } from "@tessera/wire";
import { fallbackCurrency } from "@tessera/wire/money";
import { type FormEvent, useState } from "react";
import { wordsOf } from "../../api/call.ts";
import { useDraft } from "../../api/draft.ts";
import { refusedAt } from "../../api/refused-at.ts";
import { useAll } from "../../api/use-all.ts";
import { useAct, useCall } from "../../api/use-call.ts";
import { Dialog } from "../../design/dialog.tsx";
import { CommandLine, TextField } from "../../design/inputs.tsx";
import { Button, Notice } from "../../design/parts.tsx";
import { SelectField } from "../../design/select.tsx";
import { readMoney, spellMoney } from "../../format/money.ts";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/table.tsx";
import { AmountField } from "./amount-field.tsx";
import { bookWords, entryCommand, kindWords, owedAfterWords, sidesOf } from "./ledger-view.ts";

type Kind = EntryPost["kind"];

/** Books an entry in two steps: what is meant, then both sides of it, which are never changed afterwards. */
export function PostEntry(props: { tenants: readonly string[]; tenant: string; onClose: () => void }) {
  const { tenants, onClose } = props;
  const first = { tenant: props.tenant, kind: "payment" as Kind, sign: "more", amount: "", of: "", memo: "" };
  const [draft, setDraft, drop] = useDraft(`ledger entry ${props.tenant}`, first);
  const [sure, setSure] = useState(false);
  const post = useAct("postEntry", ({ no }) => `Entry ${no} was booked.`);
  const tenant = draft.tenant === "" ? (tenants[0] ?? "") : draft.tenant;
  const ends = draft.kind === "post" || draft.kind === "void";
  const known = useAll("listEntries", { query: { account: tenant, open: true } }, tenant !== "" && ends);
  const { data: billing } = useCall("listBilling");
  const owed = billing?.items.find((each) => each.tenant === tenant);
  const currency = billing?.items[0]?.currency ?? fallbackCurrency;
  const change = (part: Partial<typeof draft>) => {
    post.reset();
    setSure(false);
    setDraft({ ...draft, ...part });
  };
  const holds = known.data ?? [];
  const { kind, memo } = draft;
  const hold = ends ? (holds.find(({ no }) => String(no) === draft.of) ?? holds[0]) : undefined;
  const corrected = kind === "adjustment" && /^[1-9]\d{0,11}$/.test(draft.of.trim()) ? Number(draft.of) : undefined;
  const badOf = kind === "adjustment" && draft.of.trim() !== "" && corrected === undefined;
  const read = kind === "void" ? null : readMoney(draft.amount);
  const micros = read !== null && "micros" in read ? signed(read.micros, kind, draft.sign) : undefined;
  const sides = sidesOf(kind, tenant, micros, hold);
  const ready = sides.length > 0 && memo.trim() !== "" && !badOf;
  const of = hold?.no ?? corrected;
  const close = () => {
    drop();
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!sure) return setSure(true);
    const body = { account: tenant, kind, micros: micros ?? "0", memo, ...(of !== undefined && { of }) };
    post.mutate({ body }, { onSuccess: close });
  };
  return (
    <Dialog title="Post an entry" onClose={close}>
      <form className="stack tight" onSubmit={submit}>
        <SelectField
          label="Tenant"
          value={tenant}
          of={Object.fromEntries(tenants.map((each) => [each, each]))}
          onChange={(value) => change({ tenant: value, of: "" })}
        />
        <SelectField label="Kind" value={kind} of={kindWords} onChange={(value) => change({ kind: value, of: "" })} />
        {known.error !== null && <Notice kind="bad">{wordsOf(known.error)}</Notice>}
        {ends && known.data !== undefined && (
          <HoldField holds={holds} hold={hold} currency={currency} onChange={(no) => change({ of: no })} />
        )}
        {kind === "adjustment" && (
          <>
            <SelectField
              label="Direction"
              value={draft.sign}
              of={{ less: "the tenant owes less", more: "the tenant owes more" }}
              onChange={(sign) => change({ sign })}
            />
            <TextField
              label="Entry that it corrects"
              hint="its number; may be empty"
              inputMode="numeric"
              wrong={badOf ? `${draft.of} is not the number of an entry.` : refusedAt(post.error, "of")}
              value={draft.of}
              onChange={(value) => change({ of: value })}
            />
          </>
        )}
        {kind !== "void" && (
          <AmountField
            label="Amount"
            hint={`in ${currency}`}
            value={draft.amount}
            read={draft.amount === "" ? null : read}
            currency={currency}
            onChange={(amount) => change({ amount })}
          />
        )}
        <TextField
          label="Why"
          hint="such as bank transfer 88"
          maxLength={300}
          value={memo}
          wrong={refusedAt(post.error, "memo")}
          onChange={(value) => change({ memo: value })}
        />
        {owed !== undefined && <Notice>{owedAfterWords(owed, sides)}</Notice>}
        {sides.length > 0 && <Sides sides={sides} currency={currency} />}
        {post.error !== null && refusedAt(post.error, "of", "memo") === undefined && (
          <Notice kind="bad">{wordsOf(post.error)}</Notice>
        )}
        {sure && post.error === null && (
          <Notice kind="warn">An entry is never changed or deleted; a mistake needs another entry.</Notice>
        )}
        <div className="row wrap">
          <Button kind="primary" type="submit" disabled={!ready || post.isPending || post.isError}>
            {sure ? "Book it for good" : "Book it"}
          </Button>
          <CommandLine>
            {entryCommand({ account: tenant, kind, memo, ...(micros && { micros }), ...(of !== undefined && { of }) })}
          </CommandLine>
        </div>
      </form>
    </Dialog>
  );
}

function HoldField(props: {
  holds: readonly EntryShape[];
  hold: EntryShape | undefined;
  currency: string;
  onChange: (no: string) => void;
}) {
  const { holds, hold, currency, onChange } = props;
  if (hold === undefined) return <Notice>Nothing is set aside for this tenant.</Notice>;
  const words = holds.map(({ no, legs, memo }) => [no, `${no}: ${spellMoney(legs[0]!.micros, currency)}, ${memo}`]);
  return (
    <SelectField label="Hold that ends" value={String(hold.no)} of={Object.fromEntries(words)} onChange={onChange} />
  );
}

type Side = ReturnType<typeof sidesOf>[number];

function Sides({ sides, currency }: { sides: readonly Side[]; currency: string }) {
  const money = (micros: string) => spellMoney(micros.replace("-", ""), currency);
  const columns: readonly Column<Side>[] = [
    { label: "Book", show: ({ account }) => bookWords(account) },
    { label: "Taken out", number: true, show: ({ micros }) => (micros.startsWith("-") ? money(micros) : "") },
    { label: "Put in", number: true, show: ({ micros }) => (micros.startsWith("-") ? "" : money(micros)) },
  ];
  return <Table label="Both sides of the entry" items={sides} columns={columns} keyOf={({ account }) => account} />;
}

/** Only an adjustment goes both ways. */
function signed(micros: string, kind: Kind, sign: string): string | undefined {
  if (micros === "0") return undefined;
  return kind === "adjustment" && sign === "less" ? `-${micros}` : micros;
}
