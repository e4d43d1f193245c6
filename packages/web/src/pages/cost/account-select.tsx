import { useCall } from "../../api/use-call.ts";

/** The account of which figures are shown; empty = every account. */
export function AccountSelect({
  account,
  onChoose,
}: {
  readonly account: string;
  readonly onChoose: (path: string) => void;
}) {
  const accounts = useCall("listAccounts", { query: { limit: 1000 } });
  return (
    <select
      className="input"
      style={{ width: 180 }}
      aria-label="Account"
      value={account}
      onChange={(event) => onChoose(event.target.value)}
    >
      <option value="">every account</option>
      {(accounts.data?.items ?? [])
        .filter(({ path }) => path !== "")
        .map(({ path }) => (
          <option key={path}>{path}</option>
        ))}
    </select>
  );
}
