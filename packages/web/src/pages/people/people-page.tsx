import type { QueryOf, UserShape } from "@tessera/wire";
import { Link, useLocation, useParams } from "wouter";
import { isMissing } from "../../api/call.ts";
import { useMay, useMe } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { usePages } from "../../api/use-pages.ts";
import { Chip } from "../../design/chip.tsx";
import { Button, Card, Empty, Skeleton, Tabs, Time } from "../../design/parts.tsx";
import { type Column, Rows } from "../../design/rows.tsx";
import { TypedText } from "../../design/typed-text.tsx";
import { count } from "../../format/numbers.ts";
import { useAddress } from "../../frame/address.ts";
import { useOpen } from "../../frame/open.ts";
import { useTableLook } from "../../table/use-table-look.tsx";
import { MyAccess } from "./my-access.tsx";
import { NewUser } from "./new-user.tsx";
import { UserPanel } from "./user-panel.tsx";

const everyMs = 5_000;
const sorts = ["name", "created"].flatMap((name) => [name, `-${name}`] as NonNullable<QueryOf<"listUsers">["sort"]>[]);
const columns: readonly Column<UserShape>[] = [
  {
    label: "Name",
    width: "minmax(0, 1fr)",
    sort: "name",
    show: ({ name }) => (name === "" ? <span className="quiet">erased</span> : <strong>{name}</strong>),
  },
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
  { label: "Made", width: "110px", wide: true, sort: "created", show: ({ createdAt }) => <Time at={createdAt} /> },
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

const keyOf = ({ id }: UserShape) => id;

/** Read page by page; the server filters, sorts and counts. */
function Everyone({ chosen }: { chosen: string }) {
  const may = useMay();
  const [params, set] = useAddress();
  const [, go] = useLocation();
  const [making, open] = useOpen("user");
  const text = params.get("text") ?? "";
  const sort = sorts.find((each) => each === params.get("sort"));
  const query = { count: true, limit: 100, ...(text !== "" && { text }), ...(sort !== undefined && { sort }) } as const;
  const { items: users, total, more } = usePages("listUsers", query, everyMs);
  // The chosen user may be on a page of the list that was not read yet.
  const one = useCall("getUser", { at: { user: chosen } }, { on: chosen !== "", everyMs });
  const user = chosen === "" ? undefined : one.data;
  const look = useTableLook(columns);
  const search = params.toString();
  return (
    <div className="grid">
      <Card
        flush
        title={total === undefined ? "People" : count(total, "person", "people")}
        className={user === undefined ? "span-12" : "span-7"}
        beside={
          <span className="row wrap">
            <TypedText
              label="Filter people"
              hint="Name, role, account"
              width={170}
              value={text}
              onTyped={(typed) => set({ text: typed })}
            />
            {look.choice}
            {may("user.write") && (
              <Button kind="primary" small data-act="createUser" onClick={() => open("")}>
                New user
              </Button>
            )}
          </span>
        }
      >
        {users === undefined ? (
          <div className="body">
            <Skeleton lines={6} />
          </div>
        ) : users.length === 0 && text !== "" ? (
          <Empty title="No user matches" />
        ) : users.length === 0 ? (
          <Empty title="No users yet" command="npx tess user create ana --role member --account research" />
        ) : (
          <Rows
            label="People"
            items={users}
            columns={user === undefined ? look.shown : look.shown.slice(0, 2)}
            tight={look.tight}
            keyOf={keyOf}
            hrefOf={({ id }) => `/people/${id}${search === "" ? "" : `?${search}`}`}
            current={user?.id}
            sort={sort ?? "name"}
            onSort={(next) => set({ sort: next })}
            height={Math.min(640, users.length * 40 + 8)}
            onEnd={more}
          />
        )}
      </Card>
      {user !== undefined && (
        <div className="span-5 chosen">
          <UserPanel key={user.id} user={user} />
        </div>
      )}
      {making !== undefined && may("user.write") && (
        <NewUser
          onClose={() => open(undefined)}
          onMade={(id) => {
            open(undefined);
            go(`/people/${id}`);
          }}
        />
      )}
      {chosen !== "" && isMissing(one.error) && (
        <p className="quiet span-12">
          There is no such user. <Link href="/people">Everyone</Link>
        </p>
      )}
    </div>
  );
}
