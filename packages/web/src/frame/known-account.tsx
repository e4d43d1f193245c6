import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { isMissing } from "../api/call.ts";
import { useMay } from "../api/me.tsx";
import { useCall } from "../api/use-call.ts";
import { Missing } from "../design/missing.tsx";
import { narrowable, useAccount } from "./account.ts";

/** A page, or that the account in its address does not exist: said here once for all pages. */
export function KnownAccount({ children }: { children: ReactNode }) {
  const [path] = useLocation();
  const may = useMay();
  const account = useAccount();
  const on = account !== "" && narrowable.test(path) && may("account.read");
  const { error } = useCall("getAccount", { at: { account } }, { on, mayFail: true });
  if (!on || !isMissing(error)) return children;
  const why = "It was deleted or renamed, or you may not see it.";
  return <Missing title={`There is no account ${account}`} why={why} href={path} go="The same page for all accounts" />;
}
