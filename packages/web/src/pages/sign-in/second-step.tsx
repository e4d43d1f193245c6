import type { WhoAmI } from "@tessera/wire";
import { call } from "../../api/call.ts";
import { Button } from "../../design/parts.tsx";
import { AddFactor } from "../security/add-factor.tsx";
import { SessionFactor } from "../security/factor-form.tsx";

interface SecondStepProps {
  readonly me: WhoAmI;
  readonly onDone: (me: WhoAmI) => void;
  readonly onSignOut: () => void;
}

/** What comes before anything else: to show the second factor, or to add the one that the user's roles need. */
export function SecondStep({ me, onDone, onSignOut }: SecondStepProps) {
  const leave = async () => {
    await call("signOut").catch(() => undefined);
    onSignOut();
  };
  const readAgain = async () => {
    const { me: now } = await call("readSession");
    if (now === undefined) onSignOut();
    else onDone(now);
  };
  return (
    <main className="sign-in">
      <div className="card">
        <div className="body stack">
          <div className="row">
            <img src="/favicon.svg" width="28" height="28" alt="" />
            <h1>{me.second === "show" ? "Second step" : "Add a second factor"}</h1>
          </div>
          {me.second === "show" ? (
            <SessionFactor onShown={onDone} />
          ) : (
            <>
              <p>Your roles need a second factor. Add one to go on.</p>
              <AddFactor asks={me.hasPassword ?? false} onAdded={() => void readAgain()} />
            </>
          )}
          <Button kind="plain" onClick={() => void leave()}>
            Sign out {me.name}
          </Button>
        </div>
      </div>
    </main>
  );
}
