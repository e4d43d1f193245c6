import { Link } from "wouter";
import { useMe } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { Card } from "../../design/parts.tsx";

/** What a new installation still needs, for its owner; gone once all of it is there. */
export function Welcome({ jobs }: { jobs: number }) {
  const me = useMe();
  const accounts = useCall("listAccounts", { query: { limit: 1000 } });
  const users = useCall("listUsers", { query: { limit: 1000 } });
  const user = users.data?.items.find(({ id }) => id === me.user);
  if (accounts.data === undefined || users.data === undefined) return null;
  const steps = [
    {
      done: user?.hasPassword ?? false,
      href: "/people/me",
      text: "Set your password, so that you need no token to sign in",
    },
    {
      done: accounts.data.items.filter(({ path }) => path !== "" && path !== "local").length > 0,
      href: "/quota?new=tenant",
      text: "Make the first tenant and guarantee it some GPUs",
    },
    { done: users.data.items.length > 1, href: "/people?new=user", text: "Make the first user" },
    { done: jobs > 0, href: "/new", text: "Submit the first job" },
  ];
  const left = steps.filter(({ done }) => !done);
  if (left.length === 0 || users.data.items.length > 5) return null;
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
