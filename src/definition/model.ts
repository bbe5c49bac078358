/**
 * The Model: a definition after it was checked, frozen, with every question about it answered.
 * Everything else in the service asks the Model and never the definition.
 */

import type { ContentFault } from '../refusal.ts'
import type { Now } from './now.ts'
import type { Rule } from './rule.ts'

export interface Model {
  readonly title: string
  /** The path all URIs begin with: empty, or such as `/api`. */
  readonly base: string
  /** By collection name, which is the path segment and the table's name. */
  readonly resources: ReadonlyMap<string, ResourceModel>
  /** Names that collections had before, to the resource they are now. */
  readonly formerNames: ReadonlyMap<string, ResourceModel>
  readonly accounts: AccountsModel | undefined
  /** The tokens that callers make for themselves: one of the resources, where there are accounts. */
  readonly tokens: ResourceModel | undefined
  /** Which subjects of issuers accounts are bound to: a table without a URI, where there are accounts. */
  readonly identities: ResourceModel | undefined
  /** Whose JWTs are believed. */
  readonly issuers: readonly IssuerModel[]
  /** Whose pages may call from a browser (CORS), as browsers write them; empty: none. */
  readonly origins: readonly string[]
}

/** One whose JSON Web Tokens (RFC 7519) are believed, and what they say of a caller. */
export interface IssuerModel {
  readonly issuer: string
  readonly audience: readonly string[]
  /** Where its keys are: the only place they are ever taken from. */
  readonly jwks: string
  readonly algorithms: readonly string[]
  /** The claim that holds the login of an account; undefined: callers have no account here. */
  readonly login: string | undefined
  /** The claim that holds roles; undefined: an account's own count. */
  readonly roles: string | undefined
}

export interface AccountsModel {
  readonly resource: ResourceModel
  readonly login: FieldModel
  readonly password: FieldModel
  /** A choice, or a list of choices. */
  readonly roles: FieldModel | undefined
  /** Further values for the account made on first start, by field name. */
  readonly first: Readonly<Record<string, unknown>>
  /** Whether somebody without a role that was given to them can set the login of an account. */
  readonly selfChosenLogins: boolean
  /** The role that the first account gets and that operators' pages ask for. */
  readonly adminRole: string
}

/** What the service declares for itself. */
export type BuiltInName = 'tokens' | 'account_identities'

export interface ResourceModel {
  readonly name: string
  /** Set on the service's own resources, which no definition declares. */
  readonly builtIn: BuiltInName | undefined
  /** In declared order, which is the order of members in every representation. */
  readonly fields: readonly FieldModel[]
  readonly field: ReadonlyMap<string, FieldModel>
  /** Of accounts: what is sent to prove that its holder changes its own password or login. */
  readonly currentPassword: FieldModel | undefined
  /** The field whose value is the last path segment; undefined where that is the identity. */
  readonly key: FieldModel | undefined
  readonly access: AccessModel
  /** The methods offered on the collection and on an item, HEAD and OPTIONS among them. */
  readonly collectionMethods: ReadonlySet<string>
  readonly itemMethods: ReadonlySet<string>
  /** `create`: PUT to an item that is not there makes it. */
  readonly put: 'replace' | 'create'
  /** `required`: a write without a precondition is 428. */
  readonly conditional: 'optional' | 'required'
  readonly bulk: boolean
  readonly cache: CacheModel | undefined
  readonly search: readonly FieldModel[]
  readonly indexes: readonly (readonly FieldModel[])[]
  readonly formerly: readonly string[]
  /** Whether a deleted item answers 410 from then on. */
  readonly tombstones: boolean
  /** The references of other resources to this one. */
  readonly referencedBy: readonly { readonly resource: ResourceModel; readonly field: FieldModel }[]
  /**
   * Holds the given fields of a body against their schemas; all faults at once, in field order.
   * Judges values only: whether a field is known, required or writable is for the caller.
   */
  validate(values: Readonly<Record<string, unknown>>): readonly ContentFault[]
}

export interface AccessModel {
  readonly read: Rule
  readonly create: Rule
  readonly update: Rule
  readonly delete: Rule
}

export interface CacheModel {
  readonly maxAge: number
  readonly staleWhileRevalidate: number | undefined
  /** Whether shared caches may keep it; true unless said otherwise. */
  readonly shared: boolean
}

export type FieldKind =
  | 'text'
  | 'email'
  | 'url'
  | 'uuid'
  | 'integer'
  | 'number'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'timestamp'
  | 'choice'
  | 'state'
  | 'list'
  | 'json'
  | 'ref'
  | 'password'

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue }

export type JsonSchema = { readonly [keyword: string]: unknown }

/** What a column holds: booleans are 0 and 1, decimals scaled integers as text when read. */
export type Stored = string | number | bigint | null

export interface FieldModel {
  readonly name: string
  readonly kind: FieldKind
  /** False for optional fields, whose absence is a stored null. */
  readonly required: boolean
  readonly unique: boolean
  /** A JSON value; undefined where there is none. */
  readonly default: JsonValue | undefined
  readonly readOnly: boolean
  readonly writeOnly: boolean
  /** Undefined: visible to whoever may read the record. */
  readonly visibleTo: Rule | undefined
  /** Undefined: writable by whoever may write the record. */
  readonly writableBy: Rule | undefined
  /** The reference is set to the caller when the item is made, and never by a body. */
  readonly fromPrincipal: boolean
  readonly filterable: boolean
  readonly formerly: readonly string[]
  /** JSON Schema 2020-12 of the field's value in a body. */
  readonly schema: JsonSchema
  /** Where the stored value stands in a Row. */
  readonly index: number
  /** Where the value shown stands in a Row: another place only for a ref to a keyed resource. */
  readonly shownIndex: number
  /** Fraction digits of a decimal, else undefined. */
  readonly scale: number | undefined
  readonly ref: RefModel | undefined
  readonly state: StateModel | undefined
  /** The field of a list's items: its kind, scale and schema count; else undefined. */
  readonly item: FieldModel | undefined
  /** A value that passed `validate`, as its column holds it. Not for ref and password. */
  encode(value: JsonValue): Stored
  /** What a column holds, as a body shows it. `encode(decode(x))` is x. */
  decode(stored: Exclude<Stored, null>): JsonValue
}

export interface RefModel {
  /** The collection referred to. A getter's answer, so that resources may refer in circles. */
  readonly resource: ResourceModel
  readonly onDelete: 'restrict' | 'cascade' | 'clear'
}

export interface StateModel {
  readonly initial: string
  readonly states: readonly string[]
  readonly transitions: readonly TransitionModel[]
}

export interface TransitionModel {
  readonly name: string
  readonly from: readonly string[]
  readonly to: string
  /** Undefined: by whoever may update the record. */
  readonly by: Rule | undefined
  /** Names of fields that must be there once it is taken. */
  readonly requires: readonly string[]
  /** What it writes by itself, by field name; null empties. */
  readonly sets: ReadonlyMap<string, Now | JsonValue>
  /** A PATCH to the state it leads to is 409 when the item is already in that state. */
  readonly exclusive: boolean
}

/** The first places of every Row; the fields follow in declared order, then keys of references. */
export const IDENTITY = 0
export const VERSION = 1
export const CREATED_AT = 2
export const UPDATED_AT = 3
export const FIRST_FIELD_INDEX = 4

/** How many places of a Row are the resource's own; answers to what was asked follow them. */
export function rowWidth({ fields }: ResourceModel): number {
  const keyed = fields.filter((field) => field.shownIndex !== field.index)
  return FIRST_FIELD_INDEX + fields.length + keyed.length
}
