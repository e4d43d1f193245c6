import type { ActNeeds } from "@tessera/wire";
import type { ReactNode } from "react";
import { useCall } from "../api/use-call.ts";
import { toast } from "../frame/toasts.tsx";
import { type AnyAct, mayDo, type Permitted } from "./may-do.ts";
import { Button, type ButtonProps } from "./parts.tsx";
import { whyNotText } from "./why-not.ts";

interface WhyProps {
  readonly act: AnyAct;
  /** Where a role for it would have to hold; empty for the platform. */
  readonly at: string;
  /** In place of the roles that it needs, where those do not tell. */
  readonly why?: string | undefined;
}

/**
 * A button for something that is done with a thing. On the page of the thing it is shown in any case: where it is not
 * allowed it is off, and says what it needs, on hover and when it is pressed. In rows of lists it is left out instead.
 */
export function Act({ act, of, at, why, onClick, ...rest }: WhyProps & { readonly of: Permitted } & ButtonProps) {
  const allowed = mayDo(act, of);
  const words = useWhyNot({ act, at, why }, !allowed);
  if (allowed) return <Button data-act={act} onClick={onClick} {...rest} />;
  return <Button {...rest} type="button" aria-disabled title={words} onClick={() => toast("bad", words)} />;
}

/** A form for something that is done with a thing; where it is not allowed, what it needs stands in its place. */
export function Allowed({ act, of, at, why, children }: WhyProps & { of: Permitted; children: ReactNode }) {
  const allowed = mayDo(act, of);
  const words = useWhyNot({ act, at, why }, !allowed);
  return allowed ? children : <p className="quiet small">{words.replace(/^Needs/, "Changing it needs")}</p>;
}

/** Which role an act needs, and who can give it. */
export function useWhyNot({ act, at, why }: WhyProps, on: boolean): string {
  const { data } = useCall("readSession", {}, { on: on && why === undefined, mayFail: true });
  if (why !== undefined) return why;
  const needs = data?.needs?.find(({ acts }: ActNeeds) => acts.includes(act));
  return needs === undefined ? "Your roles do not allow this." : whyNotText(needs, at);
}
