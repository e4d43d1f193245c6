import type { InvoiceShape, InvoiceVerdict } from "@tessera/wire";
import { useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { knownKey } from "../../api/heads.ts";
import { CommandLine } from "../../design/inputs.tsx";
import { Button, Card, Notice } from "../../design/parts.tsx";

interface Checked {
  readonly verdict: InvoiceVerdict;
  /** The signed head against which it was checked. */
  readonly head: string;
  /** Whether this browser knew the key before; else the server said it just now. */
  readonly keyKnown: boolean;
}

/** Computes an issued invoice again in this browser, and proves that the signed history holds it. */
export function VerifyInvoice(props: { at: { account: string; period: string }; invoice: InvoiceShape }) {
  const { at, invoice } = props;
  const [busy, setBusy] = useState(false);
  const [checked, setChecked] = useState<Checked | undefined>();
  const [failure, setFailure] = useState<string | undefined>();
  const verify = async () => {
    setBusy(true);
    setFailure(undefined);
    setChecked(undefined);
    try {
      setChecked(await check(at, invoice));
    } catch (error) {
      setFailure(wordsOf(error));
    }
    setBusy(false);
  };
  return (
    <Card
      title="Verify"
      className="no-print"
      beside={
        <Button disabled={busy} onClick={() => void verify()}>
          {busy ? "Verifying …" : "Verify it in this browser"}
        </Button>
      }
    >
      <div className="stack tight">
        <p>
          This browser computes the invoice again from what it was made from, compares every hash, and checks that the
          signed history of the server holds exactly this invoice.
        </p>
        {failure !== undefined && <Notice kind="bad">{failure}</Notice>}
        {checked !== undefined && <Verdict {...checked} number={invoice.number} />}
        <p className="quiet small">
          To trust neither the server nor this page, use the independent program on a machine of your own, with a head
          that was published outside (Settings, Anchors):
        </p>
        <CommandLine>{`tess invoice show ${invoice.number} -o json > invoice.json`}</CommandLine>
        <CommandLine>{`tess invoice extract ${invoice.number} > extract.json`}</CommandLine>
        <CommandLine>
          {`npx tess-verify invoice ${invoice.number} --invoice invoice.json --extract extract.json --key signing.pub --anchor heads`}
        </CommandLine>
      </div>
    </Card>
  );
}

function Verdict({ verdict, head, keyKnown, number }: Checked & { number: string }) {
  if (!verdict.sound)
    return (
      <Notice kind="bad">
        {number} is not sound: {verdict.fault}. Do not pay it before this is explained.
      </Notice>
    );
  return (
    <Notice kind="good">
      <strong>{number} is sound.</strong> Checked:
      <ul className="plain-list">
        {verdict.checked.map((what) => (
          <li key={what}>{what}</li>
        ))}
      </ul>
      <p>
        {keyKnown
          ? "This browser knew the key of the server before."
          : "The key is the one that the server just named: this browser knew none before."}
      </p>
      <p className="small">
        Head: <code className="break">{head}</code>
      </p>
    </Notice>
  );
}

async function check(at: { account: string; period: string }, { number, text }: InvoiceShape): Promise<Checked> {
  // The head is read first, so that the proof, which is made after it, leads to it.
  const { line: head, row, publicKey } = await call("getHead");
  const extract = await call("getExtract", { at, query: { since: row } });
  const known = knownKey();
  const { verifyInvoice } = await import("@tessera/wire/verify");
  const verdict = await verifyInvoice({ number, text, extract, head, key: known ?? publicKey });
  return { verdict, head, keyKnown: known !== undefined };
}
