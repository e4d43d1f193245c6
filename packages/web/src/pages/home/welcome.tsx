import { Link } from "wouter";
import { useMe } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { Card } from "../../design/parts.tsx";

/** The first steps of a new installation, for its owner; hidden once all are done. */
export function Welcome({ jobs }: { jobs: number }) {
  const me = useMe();
  const accounts = useCall("listAccounts", { query: { limit: 5 } });
  const users = useCall("listUsers", { query: { limit: 2, count: true } });
  if (accounts.data === undefined || users.data === undefined) return null;
  const people = users.data.total ?? 0;
  const steps = [
    {
      done: me.hasPassword,
      href: "/people/me",
      text: "Set your password, to sign in without a token",
    },
    {
      done: accounts.data.items.filter(({ path }) => path !== "" && path !== "local").length > 0,
      href: "/quota?open=account",
      text: "Create the first tenant with a guarantee of GPUs",
    },
    { done: people > 1, href: "/people?open=user", text: "Create the first user" },
    { done: jobs > 0, href: "/new", text: "Submit the first job" },
  ];
  const left = steps.filter(({ done }) => !done);
  if (left.length === 0 || people > 5) return null;
  return (
    <Card
      title="First steps"
      beside={<span className="quiet small">{`${steps.length - left.length} of ${steps.length} done`}</span>}
    >
      <ol className="list">
        {steps.map(({ done, href, text }, i) => (
          <li key={href}>
            <span aria-hidden="true">{done ? "✓" : `${i + 1}.`}</span>
            {done ? <span className="quiet">{text}</span> : <Link href={href}>{text}</Link>}
          </li>
        ))}
      </ol>
    </Card>
  );
}
