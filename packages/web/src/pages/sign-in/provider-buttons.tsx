import type { SignIn } from "@tessera/wire";
import { useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { useCall } from "../../api/use-call.ts";
import { Button } from "../../design/parts.tsx";

const returnKey = "tessera-return";

/** A button for each provider: it leads there, and the provider leads back to `/sign-in/back/NAME`. */
export function ProviderButtons({ onFailed }: { onFailed: (words: string) => void }) {
  const { data } = useCall("readSession");
  const [busy, setBusy] = useState(false);
  const leave = async (provider: string) => {
    setBusy(true);
    try {
      const { url } = await call("beginSignIn", { body: { provider } });
      sessionStorage.setItem(returnKey, `${location.pathname}${location.search}${location.hash}`);
      location.assign(url);
    } catch (error) {
      onFailed(wordsOf(error));
      setBusy(false);
    }
  };
  const providers = data?.providers ?? [];
  if (providers.length === 0) return null;
  return (
    <>
      {providers.map(({ name, label }) => (
        <Button key={name} kind="primary" disabled={busy} onClick={() => void leave(name)}>
          Sign in with {label}
        </Button>
      ))}
      <div className="or quiet small">or</div>
    </>
  );
}

/** What the provider sent the browser back with; taken out of the address, so that it is not kept in the history. */
export function takeAnswer(): Extract<SignIn, { answer: string }> | undefined {
  const [, provider] = /^\/sign-in\/back\/([\w-]{1,40})$/.exec(location.pathname) ?? [];
  const answer = location.search.slice(1);
  if (provider === undefined || answer === "") return undefined;
  history.replaceState(null, "", "/sign-in");
  return { provider, answer };
}

/** The page that the person came for, once. */
export function takeReturn(): string | undefined {
  const path = sessionStorage.getItem(returnKey) ?? undefined;
  sessionStorage.removeItem(returnKey);
  return path?.startsWith("/") && !path.startsWith("//") && !path.startsWith("/sign-in/back/") ? path : undefined;
}
