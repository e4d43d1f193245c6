import type { QueryOf, UserShape } from "@tessera/wire";
import { Link, useLocation, useParams } from "wouter";
import { isMissing } from "../../api/call.ts";
import { useMay, useMe } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { usePages } from "../../api/use-pages.ts";
import { Chip } from "../../design/chip.tsx";
import { Button, Empty, Tabs, Time } from "../../design/parts.tsx";
import { TypedText } from "../../design/typed-text.tsx";
import { useAddress } from "../../frame/address.ts";
import { useOpen } from "../../frame/open.ts";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { Paged } from "../../table/paged.tsx";
import { Views } from "../../table/views.tsx";
import { MyAccess } from "./my-access.tsx";
import { NewUser } from "./new-user.tsx";
import { UserPanel } from "./user-panel.tsx";

const everyMs = 5_000;
const filters = ["text"];
const columns: readonly Column<UserShape>[] = [
  {
    label: "Name",
    width: [110, 1],
    sort: "name",
    show: ({ name }) => (name === "" ? <span className="quiet">erased</span> : <strong>{name}</strong>),
  },
  {
    label: "Roles",
    width: [160, 2],
    below: true,
    show: ({ bindings }) =>
      bindings.map(({ role, account }) => `${role} of ${account === "" ? "the platform" : account}`).join(", ") ||
      "none",
  },
  { label: "Password", width: 90, below: true, show: ({ hasPassword }) => (hasPassword ? "set" : "none") },
  {
    label: "State",
    width: 110,
    show: ({ disabled }) => (
      <Chip tone={disabled ? "down" : "healthy"} shape={disabled ? "cross" : "dot"}>
        {disabled ? "disabled" : "active"}
      </Chip>
    ),
  },
  { label: "Made", width: 110, below: true, sort: "created", show: ({ createdAt }) => <Time at={createdAt} /> },
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
  const { look, shown, choice } = useLook(columns, { usualSort: "name" });
  const query: QueryOf<"listUsers"> = {
    ...(text !== "" && { text }),
    sort: look.sort as NonNullable<QueryOf<"listUsers">["sort"]>,
  };
  const list = usePages("listUsers", { ...query, count: true, limit: 100 }, everyMs);
  // The one that is looked at need not be among those that were read.
  const one = useCall("getUser", { at: { user: chosen } }, { on: chosen !== "" && may("user.read"), everyMs });
  const user = chosen === "" ? undefined : one.data;
  const search = params.toString();
  return (
    <>
      <Views filters={filters} />
      <div className="grid">
        <Paged
          list={list}
          noun={["person", "people"]}
          filters={filters}
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
              {choice}
              {may("user.write") && (
                <Button kind="primary" small data-act="createUser" onClick={() => open("")}>
                  New user
                </Button>
              )}
            </span>
          }
          empty={<Empty title="No users yet" command="npx tess user create ana --role member --account research" />}
          table={{
            label: "People",
            columns: user === undefined || look.columns !== "" ? columns : shown.slice(0, 2),
            look,
            keyOf,
            hrefOf: ({ id }) => `/people/${id}${search === "" ? "" : `?${search}`}`,
            current: user?.id,
            about: text,
            height: 640,
          }}
        />
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
    </>
  );
}
