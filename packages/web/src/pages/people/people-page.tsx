import type { UserShape } from "@tessera/wire";
import { useState } from "react";
import { Link, useLocation, useParams, useSearchParams } from "wouter";
import { useLive } from "../../api/live.ts";
import { useMay, useMe } from "../../api/me.tsx";
import { Chip } from "../../design/chip.tsx";
import { Button, Card, Empty, Skeleton, Tabs, Time } from "../../design/parts.tsx";
import { type Column, Rows } from "../../design/rows.tsx";
import { MyAccess } from "./my-access.tsx";
import { NewUser } from "./new-user.tsx";
import { UserPanel } from "./user-panel.tsx";

const columns: readonly Column<UserShape>[] = [
  { label: "Name", width: "minmax(0, 1fr)", show: ({ name, id }) => <strong>{name || id}</strong> },
  {
    label: "Roles",
    width: "minmax(0, 2fr)",
    show: ({ bindings }) =>
      bindings.map(({ role, account }) => `${role} of ${account === "" ? "the platform" : account}`).join(", ") ||
      "none",
  },
  { label: "Password", width: "90px", wide: true, show: ({ hasPassword }) => (hasPassword ? "set" : "none") },
  {
    label: "State",
    width: "110px",
    show: ({ disabled }) => (
      <Chip tone={disabled ? "down" : "healthy"} shape={disabled ? "cross" : "dot"}>
        {disabled ? "disabled" : "active"}
      </Chip>
    ),
  },
  { label: "Made", width: "110px", wide: true, show: ({ createdAt }) => <Time at={createdAt} /> },
];

/** The users that one may see; for others their own password, tokens and sessions. */
export default function PeoplePage() {
  const me = useMe();
  const may = useMay();
  const { user: chosen = may("user.read") ? "" : "me" } = useParams<{ user?: string }>();
  const tabs = [
    ...(may("user.read") ? [{ href: "/people", label: "People", here: chosen !== "me" }] : []),
    { href: "/people/me", label: "My security", here: chosen === "me" },
  ];
  return (
    <div className="page">
      <div className="head">
        <h1>People and tokens</h1>
      </div>
      <Tabs label="People" tabs={tabs} />
      {chosen === "me" ? <MyAccess me={me} /> : <Everyone chosen={chosen} />}
    </div>
  );
}

function Everyone({ chosen }: { chosen: string }) {
  const may = useMay();
  const users = useLive("listUsers", {});
  const [params] = useSearchParams();
  const [, go] = useLocation();
  const [making, setMaking] = useState(params.get("new") === "user");
  if (users === undefined) return <Skeleton lines={6} />;
  const user = users.find(({ id }) => id === chosen);
  const known = [...users].filter(({ name }) => name !== "").sort((a, b) => (a.name < b.name ? -1 : 1));
  return (
    <div className="grid">
      <Card
        flush
        title={`${known.length} people`}
        className={user === undefined ? "span-12" : "span-7"}
        beside={
          may("user.write") && (
            <Button kind="primary" small onClick={() => setMaking(true)}>
              New user
            </Button>
          )
        }
      >
        {known.length === 0 ? (
          <Empty title="No users yet" command="npx tess user create ana --role member --account research" />
        ) : (
          <Rows
            label="People"
            items={known}
            columns={user === undefined ? columns : columns.slice(0, 2)}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => `/people/${id}`}
            current={user?.id}
            height={Math.min(640, known.length * 40 + 8)}
          />
        )}
      </Card>
      {user !== undefined && (
        <div className="span-5 chosen">
          <UserPanel key={user.id} user={user} />
        </div>
      )}
      {making && (
        <NewUser
          onClose={() => setMaking(false)}
          onMade={(id) => {
            setMaking(false);
            go(`/people/${id}`);
          }}
        />
      )}
      {chosen !== "" && user === undefined && (
        <p className="quiet span-12">
          There is no such user. <Link href="/people">Everyone</Link>
        </p>
      )}
    </div>
  );
}
