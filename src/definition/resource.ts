/**
 * Resources as users write them: fields and options. The types of a record, of what creates one
 * and of what changes one follow from the fields.
 */

import type { CacheOptions } from './cache-options.ts'
import type { Derived, DerivedValueOf } from './derived.ts'
import type { Field, FileValue, TargetOf, TraitsOf, ValueOf } from './field.ts'
import type { Rules } from './rule-functions.ts'

export type DeclaredFields = Readonly<Record<string, Field>>

export interface ResourceOptions<Name extends string = string> {
  /** The field that names items in URIs; without it they have a UUID. */
  readonly key?: Name
  /** Who may do what. What is not declared is denied. */
  readonly access?: AccessOptions
  /** Fewer methods than all; OPTIONS is always offered, HEAD with GET. */
  readonly methods?: readonly MethodName[]
  /** `create`: PUT to an item that is not there makes it. */
  readonly put?: 'replace' | 'create'
  /** `required`: every write needs a precondition (428 without). */
  readonly conditional?: 'optional' | 'required'
  /** Whether one POST may bring many items. */
  readonly bulk?: boolean
  readonly cache?: CacheOptions
  /** Header fields of all its responses, such as `{ 'Content-Language': 'de' }`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The text fields that `q` looks into. */
  readonly search?: readonly Name[]
  /** Fields, or lists of fields, that are filtered and sorted by often. */
  readonly index?: readonly (Indexed<Name> | readonly Indexed<Name>[])[]
  /** Sets of fields: no two items have the same values in all fields of a set. */
  readonly unique?: readonly (readonly [Name, Name, ...Name[]])[]
  /** Names the collection had before: their URIs answer 301. */
  readonly formerly?: readonly string[]
  /** Whether a deleted item answers 410 instead of 404. */
  readonly tombstones?: boolean
  /** Shows the former versions of each item below it, at `history`. */
  readonly history?: HistoryOptions
  /** The text field that is the title of an item for people, or several fields: `'{name} · {number}'`. */
  readonly title?: Name | `${string}{${string}}${string}`
  /** The order of lists without `sort`, written like `sort`: `'-createdAt'`. */
  readonly defaultSort?: string
  /** The noun for one item, as within a sentence; without it, from the name of the collection. */
  readonly singular?: string
  /** The noun for several items. */
  readonly plural?: string
}

export interface HistoryOptions {
  /** How long versions are kept, such as `'1 year'`; without it, as long as the change log. */
  readonly keep?: string
  /** Who may read the history, among those who may read the item; without it, all of them. */
  readonly read?: Rules
}

type Indexed<Name extends string> = Name | 'createdAt' | 'updatedAt'
type MethodName = 'GET' | 'HEAD' | 'POST' | 'QUERY' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

export interface AccessOptions {
  readonly read?: Rules
  readonly create?: Rules
  readonly update?: Rules
  readonly delete?: Rules
}

/** `Symbol.for`, so that resources of another copy of this package are recognised. */
export const resourceBrand: unique symbol = Symbol.for('restwell.resource')

export interface Resource<
  F extends DeclaredFields = DeclaredFields,
  D extends DeclaredDerived = DeclaredDerived,
  N extends string = string,
> {
  readonly [resourceBrand]: { readonly fields: F; readonly options: unknown }
  /** Only in the type: the derived fields. */
  readonly [derivedFields]?: D
  /** Only in the type: the inverses in the option `nested`. */
  readonly [nestedNames]?: N
}

declare const derivedFields: unique symbol
declare const nestedNames: unique symbol
type DeclaredDerived<F extends DeclaredFields = never> = Readonly<
  Record<string, Derived<F, unknown, keyof F>>
>

/**
 * Declares a resource: its fields, and options such as access, key and search. Its name is the one it
 * has in the `resources` of `service`.
 * @example
 * const articles = resource(
 *   { slug: text({ max: 80 }).unique(), title: text(), author: ref('users').fromPrincipal() },
 *   {
 *     key: 'slug',
 *     access: { read: anyone, create: signedIn, update: owner('author'), delete: owner('author') },
 *     search: ['title'],
 *   },
 * )
 */
export function resource<
  F extends DeclaredFields,
  D extends DeclaredDerived<F> = Record<never, never>,
  const N extends string = never,
>(
  fields: F,
  options: ResourceOptions<keyof F & string> & {
    /** Values that are computed when they are shown, and never stored. */
    readonly derived?: D & DeclaredDerived<F>
    /** The columns of tables of items, after the title. */
    readonly columns?: readonly Indexed<(keyof F | NoInfer<keyof D>) & string>[]
    /** Inverses whose items a POST may create together with the item, such as `['lines']`. */
    readonly nested?: readonly N[]
  } = {},
): Resource<F, D, N> {
  return Object.freeze({ [resourceBrand]: Object.freeze({ fields, options }) })
}

/** Returns the declaration, or undefined when the value is not a resource. */
export function findResourceDeclaration(value: unknown): Resource[typeof resourceBrand] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Partial<Resource>)[resourceBrand]
}

type FieldsOf<R extends Resource> = R[typeof resourceBrand]['fields']
/** The derived fields of a resource, by name. Within `service`, a resource without any has all names. */
export type DerivedOf<R extends Resource> = string extends keyof NonNullable<R[typeof derivedFields]>
  ? Record<never, never>
  : NonNullable<R[typeof derivedFields]>

/** The inverses in the option `nested` of a resource. Within `service`, a resource without any has all names. */
export type NestedNamesOf<R extends Resource> =
  string extends NonNullable<R[typeof nestedNames]> ? never : NonNullable<R[typeof nestedNames]>

/** The names of the references of a resource. */
export type ReferenceNamesOf<R extends Resource> = {
  [N in keyof FieldsOf<R> & string]: [TargetOf<FieldsOf<R>[N]>] extends [never] ? never : N
}[keyof FieldsOf<R> & string]

/** The names of the fields of a resource, stored or derived. */
export type FieldNameOf<R extends Resource> = (keyof FieldsOf<R> | keyof DerivedOf<R>) & string

/** Keeps the name N if the field has one of the traits, or (Unless) if it has none. */
type If<F extends Field, T, N> = Extract<TraitsOf<F>, T> extends never ? never : N
type Unless<F extends Field, T, N> = Extract<TraitsOf<F>, T> extends never ? N : never

type Unwritable = 'readOnly' | 'fromPrincipal'
type Unchangeable = Unwritable | 'immutable'
type Omissible = 'optional' | 'default' | 'state' | 'files'

/**
 * An item with all of its fields, as a response shows it to a caller who may see all of them. Derived
 * fields are optional, because lists leave them out.
 * @example
 * const notes = resource({ title: text(), done: boolean().default(false) })
 * const note: RowOf<typeof notes> = {
 *   id: '01890a5d-ac96-774b-bcce-b302099a8057',
 *   createdAt: '2026-02-28T12:00:00.000Z',
 *   updatedAt: '2026-02-28T12:00:00.000Z',
 *   title: 'Buy milk',
 *   done: false,
 * }
 */
export type RowOf<R extends Resource> = DeclaredRow<FieldsOf<R>> & DerivedRow<DerivedOf<R>>
/**
 * The content of a POST that creates an item.
 * @example
 * const notes = resource({ title: text(), done: boolean().default(false) })
 * const note: CreateOf<typeof notes> = { title: 'Buy milk' }
 */
export type CreateOf<R extends Resource> = Create<FieldsOf<R>>
/**
 * The content of a merge patch (RFC 7396); null removes an optional field.
 * @example
 * const notes = resource({ title: text(), body: text().optional() })
 * const changes: PatchOf<typeof notes> = { title: 'Buy bread', body: null }
 */
export type PatchOf<R extends Resource> = Patch<FieldsOf<R>>

/** Optional, because lists show derived fields only where `fields` names them. */
type DerivedRow<D extends DeclaredDerived> = { readonly [N in keyof D]?: DerivedValueOf<D[N]> }

type DeclaredRow<F extends DeclaredFields> = {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
} & { readonly [N in keyof F as Unless<F[N], 'optional' | 'writeOnly', N>]: ValueOf<F[N]> } & {
  readonly [N in keyof F as If<F[N], 'optional', Unless<F[N], 'writeOnly', N>>]?: ValueOf<F[N]>
}

/** The value that a request sends for a field: of a file, its href. */
type SentOf<F extends Field> =
  'file' extends TraitsOf<F>
    ? NamedFileValue
    : 'files' extends TraitsOf<F>
      ? readonly NamedFileValue[]
      : ValueOf<F>

type NamedFileValue = Pick<FileValue, 'href'> & Partial<FileValue>

type Create<F extends DeclaredFields> = {
  readonly [N in keyof F as Unless<F[N], Unwritable | Omissible, N>]: SentOf<F[N]>
} & {
  readonly [N in keyof F as If<F[N], Omissible, Unless<F[N], Unwritable, N>>]?: SentOf<F[N]>
}

type Patch<F extends DeclaredFields> = {
  readonly [N in keyof F as Unless<F[N], Unchangeable | 'optional', N>]?: SentOf<F[N]>
} & {
  readonly [N in keyof F as If<F[N], 'optional', Unless<F[N], Unchangeable, N>>]?: SentOf<F[N]> | null
}
