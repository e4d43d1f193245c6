import assert from "node:assert/strict";

export interface ScimAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: cases look into answers of every shape
  readonly json: any;
}
/** Sends one request of an identity system; an address begins after /scim/v2. */
export type ScimAsk = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<ScimAnswer>;

/** One thing that an identity system does, as it really sends it, or one that it must not do. */
export interface ScimCase {
  readonly by: "Okta" | "Entra ID" | "RFC 7644" | "hostile";
  readonly name: string;
  play(ask: ScimAsk, tag: string): Promise<unknown>;
}

const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User";
const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const groupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group";
const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

const patchOf = (...Operations: object[]) => ({ schemas: [patchSchema], Operations });
const oktaUser = (tag: string) => ({
  schemas: [userSchema],
  userName: `${tag}@okta.example`,
  name: { givenName: "Test", familyName: tag },
  emails: [{ primary: true, value: `${tag}@okta.example`, type: "work" }],
  displayName: `Test ${tag}`,
  locale: "en-US",
  externalId: `00u${tag}`,
  groups: [],
  password: "1mz050nq-canary",
  active: true,
});
const entraUser = (tag: string) => ({
  schemas: [userSchema, enterprise],
  externalId: `0a21f0f2-${tag}`,
  userName: `Test_User_${tag}@entra.example`,
  active: true,
  emails: [{ primary: true, type: "work", value: `${tag}@entra.example` }],
  meta: { resourceType: "User" },
  name: { formatted: `given ${tag}`, familyName: tag, givenName: "given" },
  roles: [],
  [enterprise]: { department: "D1", manager: { value: "x" } },
});

async function made(ask: ScimAsk, body: object, path = "/Users") {
  const { status, json } = await ask("POST", path, body);
  assert.equal(status, 201, JSON.stringify(json));
  return json;
}
const group = (ask: ScimAsk, tag: string, members: readonly string[] = []) =>
  made(
    ask,
    { schemas: [groupSchema], displayName: `g-${tag}`, members: members.map((value) => ({ value })) },
    "/Groups",
  );
const membersOf = async (ask: ScimAsk, id: string): Promise<string[]> =>
  (await ask("GET", `/Groups/${id}`)).json.members.map(({ value }: { value: string }) => value);
const enc = encodeURIComponent;

async function refused(asking: Promise<ScimAnswer>, status: number, scimType?: string) {
  const answer = await asking;
  const { json } = answer;
  assert.deepEqual([answer.status, json?.scimType], [status, scimType], JSON.stringify(json));
  assert.deepEqual(json.schemas, ["urn:ietf:params:scim:api:messages:2.0:Error"]);
  assert.equal(json.status, String(status));
  assert.ok(json.detail.length > 0 && json.detail.length < 500);
  assert.match(answer.headers.get("content-type") ?? "", /^application\/scim\+json/);
}
const bad = (
  name: string,
  status: number,
  scimType: string | undefined,
  ask: (ask: ScimAsk, tag: string) => Promise<ScimAnswer>,
): ScimCase => ({
  ...{ by: "hostile", name },
  play: (send, tag) => refused(ask(send, tag), status, scimType),
});
const badUser = (name: string, change: object, scimType = "invalidValue"): ScimCase =>
  bad(name, 400, scimType, (ask, tag) => ask("POST", "/Users", { ...oktaUser(tag), ...change }));
const badPatch = (name: string, scimType: string, body: unknown): ScimCase => ({
  ...{ by: "hostile", name },
  async play(ask, tag) {
    const { id, meta } = await made(ask, oktaUser(tag));
    await refused(ask("PATCH", `/Users/${id}`, body), 400, scimType);
    assert.equal((await ask("GET", `/Users/${id}`)).json.meta.version, meta.version, "nothing changed");
  },
});

const okta: ScimCase[] = [
  {
    by: "Okta",
    name: "test of the connection: two users",
    async play(ask) {
      const { status, json } = await ask("GET", "/Users?startIndex=1&count=2");
      assert.equal(status, 200);
      assert.ok(json.Resources.length <= 2 && json.startIndex === 1);
    },
  },
  {
    by: "Okta",
    name: "import of the person: not there, made, found by userName",
    async play(ask, tag) {
      const where = `/Users?filter=${enc(`userName eq "${tag}@okta.example"`)}&startIndex=1&count=100`;
      assert.equal((await ask("GET", where)).json.totalResults, 0);
      const { id, userName, externalId, active, password } = await made(ask, oktaUser(tag));
      assert.deepEqual([userName, externalId, active], [`${tag}@okta.example`, `00u${tag}`, true]);
      assert.equal(password, undefined, "a password is never kept");
      const { json } = await ask("GET", where);
      assert.deepEqual([json.totalResults, json.itemsPerPage, json.Resources[0].id], [1, 1, id]);
    },
  },
  {
    by: "Okta",
    name: "a change of the profile with PUT",
    async play(ask, tag) {
      const { id } = await made(ask, oktaUser(tag));
      const body = {
        ...oktaUser(tag),
        id,
        name: { givenName: "Other", familyName: "Name" },
        meta: { resourceType: "User" },
      };
      const { status, json } = await ask("PUT", `/Users/${id}`, body);
      assert.deepEqual([status, json.id, json.name.givenName, json.active], [200, id, "Other", true]);
    },
  },
  {
    by: "Okta",
    name: "deactivated and activated with a value without a path",
    async play(ask, tag) {
      const { id } = await made(ask, oktaUser(tag));
      const off = await ask("PATCH", `/Users/${id}`, patchOf({ op: "replace", value: { active: false } }));
      assert.deepEqual([off.status, off.json.active], [200, false]);
      const on = await ask("PATCH", `/Users/${id}`, patchOf({ op: "replace", value: { active: true } }));
      assert.equal(on.json.active, true);
    },
  },
  {
    by: "Okta",
    name: "deactivated with PUT",
    async play(ask, tag) {
      const { id } = await made(ask, oktaUser(tag));
      assert.equal((await ask("PUT", `/Users/${id}`, { ...oktaUser(tag), active: false })).json.active, false);
    },
  },
  {
    by: "Okta",
    name: "a group is pushed, renamed with its id in the value, and read",
    async play(ask, tag) {
      const { id } = await group(ask, tag);
      const rename = patchOf({ op: "replace", value: { id, displayName: `renamed-${tag}` } });
      assert.equal((await ask("PATCH", `/Groups/${id}`, rename)).status, 204);
      assert.equal((await ask("GET", `/Groups/${id}`)).json.displayName, `renamed-${tag}`);
    },
  },
  {
    by: "Okta",
    name: "members are added, taken by a path with a filter, and replaced",
    async play(ask, tag) {
      const [a, b] = [(await made(ask, oktaUser(`${tag}a`))).id, (await made(ask, oktaUser(`${tag}b`))).id];
      const { id } = await group(ask, tag);
      const both = [a, b].map((value) => ({ value, display: "x" }));
      await ask("PATCH", `/Groups/${id}`, patchOf({ op: "add", path: "members", value: both }));
      assert.deepEqual(await membersOf(ask, id), [a, b]);
      assert.deepEqual((await ask("GET", `/Users/${a}`)).json.groups[0].value, id);
      await ask("PATCH", `/Groups/${id}`, patchOf({ op: "remove", path: `members[value eq "${a}"]` }));
      assert.deepEqual(await membersOf(ask, id), [b]);
      await ask("PATCH", `/Groups/${id}`, patchOf({ op: "replace", path: "members", value: [{ value: a }] }));
      assert.deepEqual(await membersOf(ask, id), [a]);
    },
  },
  {
    by: "Okta",
    name: "one request takes a member and adds another",
    async play(ask, tag) {
      const [a, b] = [(await made(ask, oktaUser(`${tag}a`))).id, (await made(ask, oktaUser(`${tag}b`))).id];
      const { id } = await group(ask, tag, [a]);
      const change = patchOf(
        { op: "remove", path: `members[value eq "${a}"]` },
        { op: "add", path: "members", value: [{ value: b, display: "b" }] },
      );
      assert.equal((await ask("PATCH", `/Groups/${id}`, change)).status, 204);
      assert.deepEqual(await membersOf(ask, id), [b]);
    },
  },
  {
    by: "Okta",
    name: "a group is replaced with PUT and deleted",
    async play(ask, tag) {
      const { id: person } = await made(ask, oktaUser(tag));
      const { id } = await group(ask, tag, [person]);
      const put = await ask("PUT", `/Groups/${id}`, {
        schemas: [groupSchema],
        id,
        displayName: `g-${tag}`,
        members: [],
      });
      assert.deepEqual([put.status, put.json.members], [200, []]);
      assert.equal((await ask("DELETE", `/Groups/${id}`)).status, 204);
      assert.equal((await ask("GET", `/Groups/${id}`)).status, 404);
    },
  },
];

const entra: ScimCase[] = [
  {
    by: "Entra ID",
    name: "test of the connection: someone who cannot exist",
    async play(ask, tag) {
      const { status, json } = await ask("GET", `/Users?filter=${enc(`userName eq "non-existent-${tag}"`)}`);
      assert.deepEqual([status, json.totalResults, json.Resources], [200, 0, []]);
    },
  },
  {
    by: "Entra ID",
    name: "a person with what is not kept beside what is",
    async play(ask, tag) {
      const shown = await made(ask, entraUser(tag));
      assert.deepEqual([shown[enterprise], shown.roles], [undefined, undefined]);
      assert.deepEqual(shown.schemas, [userSchema]);
    },
  },
  {
    by: "Entra ID",
    name: 'deactivated by "False" as text, activated by "True"',
    async play(ask, tag) {
      const { id } = await made(ask, entraUser(tag));
      const set = (value: string) => ask("PATCH", `/Users/${id}`, patchOf({ op: "Replace", path: "active", value }));
      assert.equal((await set("False")).json.active, false);
      assert.equal((await set("True")).json.active, true);
    },
  },
  {
    by: "Entra ID",
    name: "several operations, some of attributes that are not kept",
    async play(ask, tag) {
      const { id } = await made(ask, entraUser(tag));
      const { status, json } = await ask(
        ...(["PATCH", `/Users/${id}`] as const),
        patchOf(
          { op: "Replace", path: 'emails[type eq "work"].value', value: `new-${tag}@entra.example` },
          { op: "Replace", path: "name.familyName", value: "Changed" },
          { op: "Add", path: `${enterprise}:department`, value: "D2" },
          { op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "1" },
          { op: "Add", path: `${enterprise}:manager`, value: [{ $ref: "../Users/1", value: "1" }] },
          { op: "Remove", path: "displayName" },
        ),
      );
      assert.equal(status, 200);
      assert.deepEqual(json.emails, [{ value: `new-${tag}@entra.example`, type: "work", primary: true }]);
      assert.deepEqual([json.name.familyName, json.name.givenName, json.displayName], ["Changed", "given", undefined]);
    },
  },
  {
    by: "Entra ID",
    name: "names of attributes with points and filters as keys of a value",
    async play(ask, tag) {
      const { id } = await made(ask, { userName: tag });
      const value = {
        "name.givenName": "A",
        'emails[type eq "work"].value': `${tag}@x.example`,
        [`${userSchema}:displayName`]: "D",
      };
      const { json } = await ask("PATCH", `/Users/${id}`, patchOf({ op: "Add", value }));
      assert.deepEqual(
        [json.name.givenName, json.emails[0].value, json.emails[0].type, json.displayName],
        [...["A", `${tag}@x.example`, "work", "D"]],
      );
    },
  },
  {
    by: "Entra ID",
    name: "found by externalId and by an address, with and",
    async play(ask, tag) {
      const { id } = await made(ask, entraUser(tag));
      for (const filter of [
        `externalId eq "0a21f0f2-${tag}"`,
        `emails[type eq "work"].value eq "${tag}@entra.example"`,
        `id eq "${id}" and active eq true`,
        `userName eq "TEST_USER_${tag}@ENTRA.EXAMPLE"`,
        `${userSchema}:userName eq "test_user_${tag}@entra.example"`,
      ]) {
        const { json } = await ask("GET", `/Users?filter=${enc(filter)}`);
        assert.deepEqual([json.totalResults, json.Resources[0]?.id], [1, id], filter);
      }
    },
  },
  {
    by: "Entra ID",
    name: "a group is looked for without its members",
    async play(ask, tag) {
      const { id } = await group(ask, tag, [(await made(ask, entraUser(tag))).id]);
      const where = `/Groups?excludedAttributes=members&filter=${enc(`displayName eq "g-${tag}"`)}`;
      const { json } = await ask("GET", where);
      assert.deepEqual([json.totalResults, json.Resources[0].id, json.Resources[0].members], [1, id, undefined]);
      assert.equal((await ask("GET", `/Groups/${id}?excludedAttributes=members`)).json.members, undefined);
    },
  },
  {
    by: "Entra ID",
    name: "members are added with $ref null and taken beside the path",
    async play(ask, tag) {
      const { id: person } = await made(ask, entraUser(tag));
      const { id } = await group(ask, tag);
      const value = [{ $ref: null, value: person }];
      assert.equal((await ask("PATCH", `/Groups/${id}`, patchOf({ op: "Add", path: "members", value }))).status, 204);
      assert.deepEqual(await membersOf(ask, id), [person]);
      const inGroup = `id eq "${id}" and members eq "${person}"`;
      assert.equal((await ask("GET", `/Groups?filter=${enc(inGroup)}`)).json.totalResults, 1);
      assert.equal(
        (await ask("PATCH", `/Groups/${id}`, patchOf({ op: "Remove", path: "members", value }))).status,
        204,
      );
      assert.deepEqual(await membersOf(ask, id), []);
    },
  },
  {
    by: "Entra ID",
    name: "the name of a group is replaced by a path",
    async play(ask, tag) {
      const { id } = await group(ask, tag);
      await ask("PATCH", `/Groups/${id}`, patchOf({ op: "Replace", path: "displayName", value: `n-${tag}` }));
      assert.equal((await ask("GET", `/Groups/${id}`)).json.displayName, `n-${tag}`);
    },
  },
  {
    by: "Entra ID",
    name: "a person is deleted, and comes back as the same one",
    async play(ask, tag) {
      const { id } = await made(ask, entraUser(tag));
      assert.equal((await ask("DELETE", `/Users/${id}`)).status, 204);
      assert.equal((await ask("GET", `/Users/${id}`)).status, 404);
      assert.equal((await ask("DELETE", `/Users/${id}`)).status, 404);
      const again = await made(ask, entraUser(tag));
      assert.deepEqual([again.id, again.active], [id, true]);
    },
  },
];

const rfc: ScimCase[] = [
  {
    by: "RFC 7644",
    name: "what the server says of itself",
    async play(ask) {
      const { json } = await ask("GET", "/ServiceProviderConfig");
      assert.deepEqual([json.patch.supported, json.bulk.supported, json.filter.maxResults], [true, false, 200]);
      const types = (await ask("GET", "/ResourceTypes")).json.Resources;
      assert.deepEqual(
        types.map(({ endpoint }: { endpoint: string }) => endpoint),
        ["/Users", "/Groups"],
      );
      const schemas = (await ask("GET", "/Schemas")).json.Resources;
      for (const { id, attributes } of schemas) {
        assert.ok(attributes.length > 2);
        assert.equal((await ask("GET", `/Schemas/${id}`)).json.id, id);
      }
      assert.equal((await ask("GET", "/ResourceTypes/User")).json.schema, userSchema);
    },
  },
  {
    by: "RFC 7644",
    name: "pages: from, count, beyond the end, count 0",
    async play(ask, tag) {
      for (const n of ["1", "2", "3"]) await made(ask, { userName: `${tag}-${n}`, displayName: tag });
      const page = async (more: string) =>
        (await ask("GET", `/Users?filter=${enc(`displayName eq "${tag}"`)}${more}`)).json;
      const second = await page("&startIndex=2&count=1");
      assert.deepEqual([second.totalResults, second.startIndex, second.Resources[0].userName], [3, 2, `${tag}-2`]);
      assert.deepEqual([(await page("&startIndex=9")).Resources.length, (await page("&count=0")).totalResults], [0, 3]);
      assert.equal((await page("&startIndex=-4&count=100000")).Resources.length, 3);
    },
  },
  {
    by: "RFC 7644",
    name: "attributes that are wanted, and none but them",
    async play(ask, tag) {
      const { id } = await made(ask, oktaUser(tag));
      const { json } = await ask("GET", `/Users/${id}?attributes=userName,name.givenName`);
      assert.deepEqual(Object.keys(json).sort(), ["id", "name", "schemas", "userName"]);
    },
  },
  {
    by: "RFC 7644",
    name: "versions: If-None-Match and If-Match",
    async play(ask, tag) {
      const { id, meta } = await made(ask, oktaUser(tag));
      const seen = await ask("GET", `/Users/${id}`);
      assert.equal(seen.headers.get("etag"), meta.version);
      assert.equal((await ask("GET", `/Users/${id}`, undefined, { "if-none-match": meta.version })).status, 304);
      const rename = patchOf({ op: "replace", path: "displayName", value: "other" });
      const first = await ask("PATCH", `/Users/${id}`, rename, { "if-match": meta.version });
      assert.equal(first.status, 200);
      await refused(ask("DELETE", `/Users/${id}`, undefined, { "if-match": meta.version }), 412);
    },
  },
  {
    by: "RFC 7644",
    name: "application/scim+json is taken, and names in other letters",
    async play(ask, tag) {
      const body = JSON.stringify({ USERNAME: tag, Active: "true" });
      const { status, json } = await ask("POST", "/Users", body, { "content-type": "application/scim+json" });
      assert.deepEqual([status, json.userName, json.active], [201, tag, true]);
    },
  },
  {
    by: "RFC 7644",
    name: "the same operation twice is the same as once",
    async play(ask, tag) {
      const { id: person } = await made(ask, oktaUser(tag));
      const { id } = await group(ask, tag);
      for (const op of ["add", "add", "remove", "remove"])
        assert.equal(
          (await ask("PATCH", `/Groups/${id}`, patchOf({ op, path: "members", value: [{ value: person }] }))).status,
          204,
        );
      assert.deepEqual(await membersOf(ask, id), []);
    },
  },
];

const hostile: ScimCase[] = [
  badUser("no userName", { userName: undefined }),
  badUser("an empty userName", { userName: "  " }),
  badUser("userName is a number", { userName: 7 }),
  badUser("userName with 256 characters", { userName: "x".repeat(256) }),
  badUser("userName with a line break", { userName: "a\nb" }),
  badUser("externalId is a list", { externalId: ["x"] }),
  badUser("active is a word", { active: "perhaps" }),
  badUser("active is a number", { active: 1 }),
  badUser("emails are text", { emails: "a@b" }),
  badUser("an address without a value", { emails: [{ type: "work" }] }),
  badUser("eleven addresses", { emails: Array.from({ length: 11 }, (_, i) => ({ value: `${i}@x` })) }, "tooMany"),
  badUser("name is text", { name: "Ana" }, "invalidSyntax"),
  bad("a list instead of a person", 400, "invalidSyntax", (ask) => ask("POST", "/Users", [1])),
  bad("no JSON", 400, "invalidSyntax", (ask) => ask("POST", "/Users", "{", { "content-type": "application/json" })),
  bad("no body", 400, "invalidSyntax", (ask) => ask("POST", "/Users")),
  bad("__proto__ in the body", 400, "invalidSyntax", (ask) =>
    ask("POST", "/Users", '{"userName":"x","__proto__":{"active":false}}', { "content-type": "application/json" }),
  ),
  bad("nested 40 deep", 400, "invalidSyntax", (ask) =>
    ask("POST", "/Users", `{"userName":${"[".repeat(40)}${"]".repeat(40)}}`, { "content-type": "application/json" }),
  ),
  bad("a body of 2 MiB", 413, undefined, (ask) => ask("POST", "/Users", { userName: "x".repeat(2 * 1024 * 1024) })),
  bad("XML", 415, undefined, (ask) => ask("POST", "/Users", "<a/>", { "content-type": "text/xml" })),
  ...["userName", 'displayName co "x"', 'userName eq "a" or userName eq "b"', "userName eq 7", '(userName eq "a")'].map(
    (filter) => bad(`filter ${filter}`, 400, "invalidFilter", (ask) => ask("GET", `/Users?filter=${enc(filter)}`)),
  ),
  bad("filter by an unknown attribute", 400, "invalidFilter", (ask, tag) =>
    made(ask, { userName: tag }).then(() => ask("GET", `/Users?filter=${enc('password eq "x"')}`)),
  ),
  bad("filter with 11 conditions", 400, "invalidFilter", (ask) =>
    ask("GET", `/Users?filter=${enc(Array(11).fill('id eq "x"').join(" and "))}`),
  ),
  bad("filter of 3,000 characters", 400, "invalidFilter", (ask) =>
    ask("GET", `/Users?filter=${enc(`userName eq "${"x".repeat(3_000)}"`)}`),
  ),
  bad("startIndex is a word", 400, "invalidValue", (ask) => ask("GET", "/Users?startIndex=first")),
  bad("count beyond nine digits", 400, "invalidValue", (ask) => ask("GET", "/Users?count=99999999999")),
  bad("the same userName in other letters", 409, "uniqueness", async (ask, tag) => {
    await made(ask, { userName: tag });
    return ask("POST", "/Users", { userName: tag.toUpperCase() });
  }),
  bad("the same externalId", 409, "uniqueness", async (ask, tag) => {
    await made(ask, oktaUser(tag));
    return ask("POST", "/Users", { ...oktaUser(tag), userName: `other-${tag}` });
  }),
  bad("userName of another by PATCH", 409, "uniqueness", async (ask, tag) => {
    await made(ask, { userName: `${tag}-1` });
    const { id } = await made(ask, { userName: `${tag}-2` });
    return ask("PATCH", `/Users/${id}`, patchOf({ op: "replace", path: "userName", value: `${tag}-1` }));
  }),
  bad("the same name of a group", 409, "uniqueness", async (ask, tag) => {
    await group(ask, tag);
    return ask("POST", "/Groups", { displayName: `G-${tag}` });
  }),
  bad("a member who does not exist", 400, "invalidValue", async (ask, tag) => {
    const { id } = await group(ask, tag);
    return ask("PATCH", `/Groups/${id}`, patchOf({ op: "add", path: "members", value: [{ value: "per_nobody" }] }));
  }),
  bad("a member who is a user of the server, not of the provider", 400, "invalidValue", async (ask, tag) => {
    const { id } = await group(ask, tag);
    return ask(
      "PATCH",
      `/Groups/${id}`,
      patchOf({ op: "add", path: "members", value: [{ value: "usr_0000000000000000" }] }),
    );
  }),
  bad("a group in a group", 400, "invalidValue", async (ask, tag) => {
    const { id } = await group(ask, tag);
    const outer = await group(ask, `${tag}-outer`);
    return ask(
      "PATCH",
      `/Groups/${outer.id}`,
      patchOf({ op: "add", path: "members", value: [{ value: id, type: "Group" }] }),
    );
  }),
  bad("a group with 6,000 members", 400, "tooMany", (ask, tag) =>
    ask("POST", "/Groups", { displayName: tag, members: Array.from({ length: 6_000 }, (_, i) => `per_${i}`) }),
  ),
  bad("a group without a name", 400, "invalidValue", (ask) => ask("POST", "/Groups", { members: [] })),
  badPatch("PATCH without operations", "invalidSyntax", { schemas: [patchSchema] }),
  badPatch("101 operations", "tooMany", patchOf(...Array(101).fill({ op: "add", path: "displayName", value: "x" }))),
  badPatch("an unknown operation", "invalidSyntax", patchOf({ op: "move", path: "userName", value: "x" })),
  badPatch("remove without a path", "noTarget", patchOf({ op: "remove" })),
  badPatch("a path that is none", "invalidPath", patchOf({ op: "replace", path: "a b[", value: "x" })),
  badPatch("a path with a bad filter", "invalidFilter", patchOf({ op: "remove", path: "emails[type gt 3]" })),
  badPatch("the id by a path", "mutability", patchOf({ op: "replace", path: "id", value: "per_x" })),
  badPatch("the id in a value", "mutability", patchOf({ op: "replace", value: { id: "per_x" } })),
  badPatch("the groups of a person", "mutability", patchOf({ op: "add", path: "groups", value: [{ value: "grp_1" }] })),
  badPatch("userName taken away", "invalidValue", patchOf({ op: "remove", path: "userName" })),
  badPatch("active is a word", "invalidValue", patchOf({ op: "replace", path: "active", value: "off" })),
  badPatch("no value", "invalidValue", patchOf({ op: "replace", path: "displayName" })),
  badPatch("a part of what has none", "invalidPath", patchOf({ op: "replace", path: "userName.x", value: "y" })),
  badPatch(
    "the first operation is right, the second is not",
    "invalidValue",
    patchOf({ op: "replace", path: "displayName", value: "changed" }, { op: "replace", path: "active", value: "off" }),
  ),
  bad("a person who does not exist", 404, undefined, (ask) => ask("GET", "/Users/per_none")),
  bad("a change of no person", 404, undefined, (ask) =>
    ask("PATCH", "/Users/per_none", patchOf({ op: "add", value: {} })),
  ),
  bad("a user of the server by its id", 404, undefined, (ask) => ask("GET", "/Users/usr_0000000000000000")),
  bad("an address that is none", 404, undefined, (ask) => ask("GET", "/Elsewhere")),
  bad("bulk", 404, undefined, (ask) => ask("POST", "/Bulk", { Operations: [] })),
  bad("a method that is none", 404, undefined, (ask) => ask("PUT", "/Users", {})),
  bad("a token that is none", 401, undefined, (ask) =>
    ask("GET", "/Users", undefined, { authorization: `Bearer scim_${"x".repeat(43)}` }),
  ),
  bad("no token, to an address that is none", 401, undefined, (ask) =>
    ask("GET", "/Elsewhere", undefined, { authorization: "" }),
  ),
];

export const scimCases: readonly ScimCase[] = [...okta, ...entra, ...rfc, ...hostile];

/** What a failed case said; undefined where it held. */
export async function playScimCase(each: ScimCase, ask: ScimAsk, tag: string): Promise<string | undefined> {
  try {
    await each.play(ask, tag);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
