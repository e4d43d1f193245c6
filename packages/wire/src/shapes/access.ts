import { roles } from "@tessera/core";
import Type, { type Static } from "typebox";
import { May } from "../acts.ts";
import { proofHeader } from "../addresses.ts";
import { AccountPath, CountedPage, Duration, emailPattern, Line, Name, Page, Timestamp } from "./common.ts";
import { PasskeyShown } from "./factor.ts";

export const RoleName = Type.Enum([...roles]);
export const RoleBindingShape = Type.Object({
  id: Type.String({ description: "user:role:account path" }),
  user: Type.String(),
  userName: Type.String(),
  role: RoleName,
  account: Type.String({ description: "Empty = the whole platform" }),
  from: Type.Optional(Type.String({ description: "The rules that gave it, such as sso:corp; absent = given by hand" })),
  may: May("binding"),
});
export type RoleBindingShape = Static<typeof RoleBindingShape>;
export const RoleBindingPage = Page(RoleBindingShape);
export const RoleBindBody = Type.Object(
  { user: Name(200), role: RoleName, account: Type.Union([AccountPath, Type.Literal("")]) },
  { additionalProperties: false },
);

export const UserShape = Type.Object({
  id: Type.String(),
  name: Type.String({ description: "Empty once erased" }),
  email: Type.Optional(Type.String()),
  disabled: Type.Boolean(),
  service: Type.Optional(Type.String({ description: "A service account of this account; absent: a person" })),
  hasPassword: Type.Boolean(),
  bindings: Type.Array(Type.Object({ role: RoleName, account: Type.String(), may: May("binding") })),
  createdAt: Timestamp,
  revision: Type.String(),
  may: May("user"),
});
export type UserShape = Static<typeof UserShape>;
export const UserPage = CountedPage(UserShape);
export const UserCreate = Type.Object(
  {
    name: Type.String({
      pattern: "^[a-z0-9][a-z0-9._-]{0,62}$",
      maxLength: 63,
      title: "a login name",
      description: "A login name of lower-case letters, digits and . _ -",
    }),
    email: Type.Optional(
      Type.String({
        maxLength: 254,
        pattern: emailPattern,
        title: "an e-mail address",
        description: "An e-mail address",
      }),
    ),
    /** A first role, so that a tenant admin can make users only inside the tenant. */
    role: Type.Optional(RoleName),
    account: Type.Optional(AccountPath),
    service: Type.Optional(
      Type.Literal(true, { description: "A service account, which belongs to the account and cannot sign in" }),
    ),
  },
  { additionalProperties: false },
);
export type UserCreate = Static<typeof UserCreate>;
/** From a browser session: the password that one has, to change a credential of one's own. */
export const CurrentPassword = Type.Optional(
  Type.String({ minLength: 1, maxLength: 256, description: "Your own; needed from a browser if you have one" }),
);

export const PasswordPut = Type.Object(
  { password: Type.String({ minLength: 12, maxLength: 256 }), currentPassword: CurrentPassword },
  { additionalProperties: false },
);

export const TokenShape = Type.Object({
  id: Type.String(),
  user: Type.String(),
  label: Type.String(),
  prefix: Type.String(),
  scopes: Type.Array(Type.String()),
  account: Type.Optional(Type.String({ description: "It works at this account and below; absent: at all" })),
  networks: Type.Optional(Type.Array(Type.String(), { description: "From where it may be used; absent: everywhere" })),
  signIn: Type.Optional(Type.String({ description: "How the person signed in; absent: a program's token" })),
  createdAt: Timestamp,
  expiresAt: Type.Optional(Timestamp),
  expiring: Type.Optional(Type.Literal(true, { description: "It expires within days: time for another" })),
  lastUsedAt: Type.Optional(Timestamp),
  here: Type.Optional(Type.Literal(true, { description: "The one that this was asked with" })),
  may: May("token"),
});
export type TokenShape = Static<typeof TokenShape>;
export const TokenPage = Page(TokenShape);
export const TokenCreate = Type.Object(
  {
    label: Type.Optional(Line(100)),
    /** Another user's token; needs user.write over that user. */
    user: Type.Optional(Name(200)),
    scopes: Type.Optional(
      Type.Array(Type.String({ pattern: "^[a-z]+\\.[a-z]+$", maxLength: 50, title: "an action" }), { maxItems: 50 }),
    ),
    account: Type.Optional(AccountPath),
    networks: Type.Optional(
      Type.Array(Type.String({ minLength: 2, maxLength: 49, title: "a network" }), {
        minItems: 1,
        maxItems: 16,
        description: "CIDR networks or addresses from which it may be used",
      }),
    ),
    expiresIn: Type.Optional(Duration),
    currentPassword: CurrentPassword,
  },
  { additionalProperties: false },
);
export type TokenCreate = Static<typeof TokenCreate>;
export const TokenCreated = Type.Object({
  ...TokenShape.properties,
  token: Type.String({ description: "Shown once" }),
});
export type TokenCreated = Static<typeof TokenCreated>;

/** What a browser exchanges for a session: a password, a token, the ticket of a link, a provider's answer, a passkey. */
export const SignIn = Type.Union([
  Type.Object(
    { name: Name(200, "Login name"), password: Type.String({ minLength: 1, maxLength: 256 }) },
    { additionalProperties: false },
  ),
  Type.Object({ token: Type.String({ minLength: 1, maxLength: 64 }) }, { additionalProperties: false }),
  Type.Object({ ticket: Type.String({ minLength: 1, maxLength: 64 }) }, { additionalProperties: false }),
  Type.Object(
    {
      provider: Name(40, "The provider that the browser comes back from"),
      answer: Type.String({
        minLength: 1,
        maxLength: 8_192,
        description: "The query with which the provider sent the browser back",
      }),
    },
    { additionalProperties: false },
  ),
  Type.Object({ passkey: PasskeyShown }, { additionalProperties: false }),
]);
export type SignIn = Static<typeof SignIn>;

export const WhoAmI = Type.Object({
  user: Type.String(),
  name: Type.String(),
  bindings: Type.Array(
    Type.Object({
      role: RoleName,
      account: Type.String(),
      gives: Type.Optional(
        Type.Array(RoleName, { description: "Roles that it lets its holder give, there and below" }),
      ),
    }),
  ),
  hasPassword: Type.Optional(Type.Boolean({ description: "Asked for again before a browser changes credentials" })),
  second: Type.Optional(
    Type.Enum(["show", "enrol"], {
      description: "Nothing else is answered before a second factor was shown, or added",
    }),
  ),
  scopes: Type.Array(Type.String()),
  may: Type.Array(Type.String(), {
    description: "Actions that are allowed at some account, at least on the user's own jobs",
  }),
  /** Where `tess run` goes without a project: the only account the user may submit to, or the first. */
  defaultProject: Type.Optional(Type.String()),
});
export type WhoAmI = Static<typeof WhoAmI>;

export const SignedIn = Type.Object({
  me: WhoAmI,
  proof: Type.String({
    description: `Sent back in the header ${proofHeader} with each request; the cookie alone is worth nothing`,
  }),
});
export type SignedIn = Static<typeof SignedIn>;

export const SignInLink = Type.Object({
  path: Type.String({ description: "Opened in a browser at the server's address, it signs in once" }),
  expiresAt: Timestamp,
});

/** What it takes to do something that `may` of a thing does not hold. */
export const ActNeeds = Type.Object({
  acts: Type.Array(Type.String()),
  roles: Type.Array(RoleName, { description: "Each of them allows it at its account and below" }),
  ask: Type.Array(RoleName, { description: "Those that can give such a role" }),
});
export type ActNeeds = Static<typeof ActNeeds>;

/** What a page asks first; an answer in any case, since it is no mistake to be signed out. */
export const SessionShape = Type.Object({
  me: Type.Optional(WhoAmI),
  needs: Type.Optional(Type.Array(ActNeeds, { description: "Which roles allow what; once signed in" })),
  providers: Type.Optional(
    Type.Array(Type.Object({ name: Type.String(), label: Type.String() }), {
      description: "With which one can sign in; absent where there are none",
    }),
  ),
  passwordsOff: Type.Optional(Type.Literal(true, { description: "Nobody signs in with a password" })),
});
export type SessionShape = Static<typeof SessionShape>;
