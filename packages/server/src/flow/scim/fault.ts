/** What RFC 7644 calls the kinds of mistakes. */
export type ScimType =
  | "uniqueness"
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "mutability"
  | "noTarget"
  | "tooMany";

/** Why a request of an identity system is not carried out, in the words of its protocol. */
export class ScimFault extends Error {
  readonly status: number;
  readonly scimType: ScimType | undefined;

  constructor(status: number, scimType: ScimType | undefined, detail: string) {
    super(detail);
    this.status = status;
    this.scimType = scimType;
  }
}

export function invalidValue(attribute: string, value: unknown, why: string): ScimFault {
  const shown = JSON.stringify(value) ?? "nothing";
  return new ScimFault(400, "invalidValue", `${attribute} is ${shown.slice(0, 100)}: ${why}`);
}

export function notUnique(attribute: string, value: string): ScimFault {
  return new ScimFault(409, "uniqueness", `${attribute} ${JSON.stringify(value)} is that of another one`);
}

export function noResource(id: string): ScimFault {
  return new ScimFault(404, undefined, `${id.slice(0, 100)} does not exist`);
}
