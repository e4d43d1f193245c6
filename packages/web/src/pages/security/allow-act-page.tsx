import type { FactorShow, StepUpShape } from "@tessera/wire";
import { type ReactNode, useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { useMe } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { Button, Card, Notice, Skeleton, Time } from "../../design/parts.tsx";
import { FactorForm } from "./factor-form.tsx";

/** A dangerous act of `tess` waits: the person sees what it is and which machine asks, and shows a factor for it. */
export default function AllowActPage() {
  const code = new URLSearchParams(location.search).get("code") ?? "";
  const { data, error } = useCall("readStepUp", { at: { code } });
  const [done, setDone] = useState(false);
  const allow = async (body: FactorShow) => {
    const { back } = await call("allowStepUp", { at: { code }, body });
    if (back === undefined) setDone(true);
    else location.assign(back);
  };
  if (done)
    return (
      <Shell>
        <Notice kind="good">It goes on. Go back to the terminal.</Notice>
      </Shell>
    );
  if (error !== null)
    return (
      <Shell>
        <Notice kind="bad">{wordsOf(error)}</Notice>
      </Shell>
    );
  return <Shell>{data === undefined ? <Skeleton /> : <Asked ask={data} allow={allow} />}</Shell>;
}

function Asked({ ask, allow }: { ask: StepUpShape; allow: (shown: FactorShow) => Promise<void> }) {
  const me = useMe();
  return (
    <div className="stack">
      <p>
        <code>tess</code> asks for <strong>{me.name}</strong>:
      </p>
      <p>
        <strong>{ask.act}</strong>
      </p>
      <ul className="list">
        <li className="mono small">{ask.request}</li>
        {ask.fields.map((field) => (
          <li key={field} className="mono small">
            {field}
          </li>
        ))}
      </ul>
      <p>
        From <strong>{ask.label}</strong>, at {ask.address}. The terminal shows this code:
      </p>
      <p className="mono">
        <strong>{ask.code}</strong>
      </p>
      <p className="quiet small">
        Go on only if you typed the command yourself. {!ask.here && "Nobody else can need this page from you. "}
        It counts for <code>tess</code> on that machine for 5 minutes, and waits until <Time at={ask.expiresAt} />.
      </p>
      <Allowing asks={ask.asks} allow={allow} />
    </div>
  );
}

function Allowing({ asks, allow }: { asks: StepUpShape["asks"]; allow: (shown: FactorShow) => Promise<void> }) {
  const [wrong, setWrong] = useState<string>();
  if (asks === "factor") return <FactorForm show={allow} />;
  const signInAgain = async () => {
    await call("signOut").catch(() => undefined);
    location.reload();
  };
  return (
    <>
      {wrong !== undefined && <Notice kind="bad">{wrong}</Notice>}
      {asks === "nothing" ? (
        <Button kind="primary" onClick={() => void allow({}).catch((error) => setWrong(wordsOf(error)))}>
          Allow
        </Button>
      ) : (
        <Button kind="primary" onClick={() => void signInAgain()}>
          Sign in again with your provider
        </Button>
      )}
    </>
  );
}

function Shell({ children }: { children: ReactNode }) {
  return (
    <div className="page">
      <Card title="Show that it is you">{children}</Card>
    </div>
  );
}
