import { useEffect, useId, useRef, useState } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { useMay } from "../api/me.tsx";
import { useAccounts } from "../api/use-accounts.ts";
import { useCall } from "../api/use-call.ts";
import { count } from "../format/numbers.ts";
import { accountParameter, narrowable, stepsOf, useAccount } from "./account.ts";
import { decoded } from "./address.ts";

/** Accounts that are listed at once; typing a part of a name finds any. */
const listedMax = 200;
/** Quota has the account in its path. */
const isQuota = /^\/quota(\/|$)/;

/** Where in the tree of accounts the page looks, and a way to look elsewhere; hidden where there is one account alone. */
export function Switcher() {
  const may = useMay();
  const [path] = useLocation();
  const isOn = may("account.read") && (narrowable.test(path) || isQuota.test(path));
  // Whether there is a choice; the accounts are read when the list is opened.
  const first = useCall("listAccounts", { query: { limit: 3 } }, { on: isOn, mayFail: true }).data?.items ?? [];
  const inAddress = useAccount();
  const account = path.startsWith("/quota/") ? decoded(path.slice("/quota/".length)) : inAddress;
  const several = first.filter((each) => each.path !== "").length > 1;
  if (!isOn || (!several && account === "")) return null;
  return <Crumbs account={account} />;
}

function Crumbs({ account }: { account: string }) {
  const hrefOf = useHref();
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState("");
  const accounts = useAccounts({ on: isOpen, mayFail: true });
  const steps = stepsOf(account);
  const found = accounts.map(({ path }) => path).filter((each) => each.includes(text.trim().toLowerCase()));
  const shown = found.slice(0, listedMax);
  const close = () => list.current?.hidePopover();
  const [, go] = useLocation();
  /** Enter was pressed; it may come before the accounts do. */
  const [isSure, setSure] = useState(false);
  const first = shown[0];
  useEffect(() => {
    if (!isSure || accounts.length === 0) return;
    setSure(false);
    if (first === undefined) return;
    list.current?.hidePopover();
    go(hrefOf(first));
  });
  return (
    <nav className="crumbs" aria-label="Breadcrumb">
      <ol className="wide">
        {steps.slice(0, -1).map((step) => (
          <li key={step}>
            <Link href={hrefOf(step)}>{step.split("/").at(-1)}</Link>
            <span aria-hidden="true">›</span>
          </li>
        ))}
      </ol>
      <button type="button" className="button plain" popoverTarget={id} title="Show another account">
        <span className="cut">{steps.at(-1)?.split("/").at(-1) ?? "All accounts"}</span> ▾
      </button>
      <div
        className="menu accounts"
        id={id}
        popover="auto"
        ref={list}
        // Before it opens: told afterwards, it could undo an Enter that was quick.
        onBeforeToggle={({ newState }) => {
          setOpen(newState === "open");
          setSure(false);
        }}
        onToggle={({ newState }) => {
          if (newState === "open") placeBelow(list.current!);
        }}
      >
        <input
          className="input"
          // The browser moves the focus there while it opens; React would do it once, when nothing is open yet.
          ref={(input) => input?.setAttribute("autofocus", "")}
          aria-label="Narrow to"
          placeholder="Find an account"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && text.trim() !== "") setSure(true);
          }}
        />
        <ul>
          {account !== "" && text === "" && (
            <li>
              <Link href={hrefOf("")} onClick={close}>
                All accounts
              </Link>
            </li>
          )}
          {shown.map((each) => (
            <li key={each}>
              <Link
                href={hrefOf(each)}
                onClick={close}
                style={{ paddingLeft: 10 + 14 * (stepsOf(each).length - 1) }}
                {...(each === account && { "aria-current": "true" as const })}
              >
                {text === "" ? each.split("/").at(-1) : each}
              </Link>
            </li>
          ))}
          {accounts.length > 0 && shown.length === 0 && <li className="quiet small">No such account.</li>}
          {found.length > shown.length && (
            <li className="quiet small">
              and {count(found.length - shown.length, "account")} more: type a part of its name
            </li>
          )}
        </ul>
      </div>
    </nav>
  );
}

/** Under the button that opened it, inside the window. */
function placeBelow(menu: HTMLElement): void {
  const button = menu.parentElement!.querySelector("button")!.getBoundingClientRect();
  menu.style.left = `${Math.max(0, Math.min(button.left, innerWidth - menu.offsetWidth - 12))}px`;
}

/** The same page for another account; Back leads to the one before. */
function useHref(): (account: string) => string {
  const [path] = useLocation();
  const search = useSearch();
  return (account) => {
    if (path.startsWith("/quota")) return account === "" ? "/quota" : `/quota/${account}`;
    const params = new URLSearchParams(search);
    if (account === "") params.delete(accountParameter);
    else params.set(accountParameter, account);
    const text = params.toString();
    return text === "" ? path : `${path}?${text}`;
  };
}
