import { useId, useMemo, useRef, useState } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { useMay } from "../api/me.tsx";
import { useCall } from "../api/use-call.ts";
import { accountParameter, stepsOf, useAccount } from "./account.ts";

const listedMax = 200;
/** Pages that show what an account has. */
const narrowed = /^\/($|jobs$|queue$|cost(\/money|\/waste)?$|quota(\/|$))/;

/** Where in the tree of accounts the page looks, and a way to look elsewhere; hidden where there is one account alone. */
export function Switcher() {
  const may = useMay();
  const [path] = useLocation();
  const isOn = may("account.read") && narrowed.test(path);
  const accounts = useCall("listAccounts", { query: { limit: listedMax } }, { on: isOn }).data?.items;
  const paths = useMemo(() => (accounts ?? []).map((each) => each.path).filter((each) => each !== ""), [accounts]);
  const inAddress = useAccount();
  const account = path.startsWith("/quota/") ? decodeURIComponent(path.slice("/quota/".length)) : inAddress;
  if (!isOn || (paths.length <= 1 && account === "")) return null;
  return <Crumbs account={account} paths={paths} />;
}

function Crumbs({ account, paths }: { account: string; paths: readonly string[] }) {
  const hrefOf = useHref();
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const [text, setText] = useState("");
  const steps = stepsOf(account);
  const shown = paths.filter((each) => each.includes(text.trim().toLowerCase()));
  const close = () => list.current?.hidePopover();
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
        onToggle={(event) => event.newState === "open" && placeBelow(list.current!)}
      >
        <input
          className="input"
          aria-label="Narrow to"
          placeholder="Find an account"
          value={text}
          onChange={(event) => setText(event.target.value)}
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
          {shown.length === 0 && <li className="quiet small">No such account.</li>}
          {paths.length >= listedMax && (
            <li className="quiet small">Only the first {listedMax}; others are found with Ctrl K.</li>
          )}
        </ul>
      </div>
    </nav>
  );
}

/** Under the button that opened it, inside the window, ready to type. */
function placeBelow(menu: HTMLElement): void {
  const button = menu.parentElement!.querySelector("button")!.getBoundingClientRect();
  menu.style.left = `${Math.max(0, Math.min(button.left, innerWidth - menu.offsetWidth - 12))}px`;
  menu.querySelector("input")?.focus();
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
