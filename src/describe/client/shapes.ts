/** The types of a client, from those of a definition and of built-in tables. */

import type { AggregateValueOf } from '../../definition/derived.ts'
import type { Field, InverseOf, RefsTargetOf, TargetOf, TraitsOf, ValueOf } from '../../definition/field.ts'
import type { ActionShapesOf, ActionsOf, QueriesOf } from '../../definition/logic/action.ts'
import type {
  CreateOf,
  DerivedOf,
  NestedNamesOf,
  PatchOf,
  Resource,
  RowOf,
  resourceBrand,
} from '../../definition/resource.ts'
import type { Resources } from '../../definition/service-definition.ts'
import type { TokensResource, tokensTable } from '../../definition/tokens-resource.ts'
import type { Below } from './types.ts'

/** No interface, because those have no index signature. */
export type TokenShapes = {
  /** Access tokens of the caller. Only the result of `create` contains the secret `token`. */
  readonly tokens: OwnShape<typeof tokensTable, TokensResource>
}

/** The shape of a built-in table, from its declaration. */
export interface OwnShape<T, R extends Resource> {
  readonly row: RowOf<R>
  readonly create: WithMethod<T, 'POST', CreateOf<R>>
  readonly created: T extends { readonly shownOnce: infer S } ? WithSecrets<RowOf<R>, S> : RowOf<R>
  readonly replace: never
  readonly patch: WithMethod<T, 'PATCH', PatchOf<R>>
  readonly filter: FilterOf<R>
  readonly embed: object
  readonly groups: GroupsOf<R>
  readonly aggregates: AggregatesOf<R>
  readonly sets: never
  readonly actions: T extends { readonly actions: infer A } ? OwnActions<A, RowOf<R>> : Record<never, never>
}

type WithMethod<T, Method, Content> = T extends { readonly methods: readonly (infer M)[] }
  ? Method extends M
    ? Content
    : never
  : Content

/** The actions of a built-in table, which have no input. */
type OwnActions<Actions, Row> = {
  readonly [N in keyof Actions]: {
    readonly on: 'item'
    readonly input: Record<never, never>
    readonly result: ResultOf<Actions[N], Row>
  }
}

/** The row of an action that shows it, with the secrets that it shows. */
type ResultOf<Action, Row> = Action extends { readonly shows: readonly (infer Secret)[] }
  ? WithSecrets<Row, Secret>
  : undefined

type WithSecrets<Row, Secret> = Row & { readonly [N in Secret & string]: string }

export type WithActions<R extends Resources, A> = WithService<R, A> & {
  readonly [N in keyof R]: OfResources<R>[N] & {
    readonly actions: N extends keyof A
      ? ActionShapesOf<ActionsOf<A[N]>, RowOf<R[N]>, R>
      : Record<never, never>
    readonly queries: N extends keyof A
      ? ActionShapesOf<QueriesOf<A[N]>, RowOf<R[N]>, R>
      : Record<never, never>
  }
}

/** The operations of the service itself, which has no items. */
type WithService<R extends Resources, A> = A extends { readonly '/': infer Own }
  ? {
      readonly '/': NoItems & {
        readonly actions: ActionShapesOf<ActionsOf<Own>, undefined, R>
        readonly queries: ActionShapesOf<QueriesOf<Own>, undefined, R>
      }
    }
  : unknown

interface NoItems {
  readonly row: { readonly id: string }
  readonly create: never
  readonly replace: never
  readonly patch: never
  readonly filter: object
  readonly embed: object
  readonly sets: never
  readonly groups: object
  readonly aggregates: object
}

type OfResources<R extends Resources> = {
  readonly [N in keyof R]: {
    readonly row: RowOf<R[N]>
    readonly create: CreateOf<R[N]> & NestedOf<R, N>
    readonly replace: Replacement<R[N], CreateOf<R[N]> | ReplaceOf<R[N]>>
    readonly patch: PatchOf<R[N]>
    readonly filter: FilterOf<R[N]>
    readonly embed: ReferencesOf<R, R[N]> & MembersOf<R, R[N]> & InversesOf<R, N>
    readonly sets: SetsOf<R[N]>
    readonly groups: GroupsOf<R[N]>
    readonly aggregates: AggregatesOf<R[N]>
    readonly below: BelowOf<R, N>
    readonly files: FilesOf<R[N], 'file'>
    readonly fileLists: FilesOf<R[N], 'files'>
  }
}

/** The sub-collections of a resource N: for each reference to N that has an inverse, its resource. */
type BelowOf<R extends Resources, N> = {
  readonly [P in InverseTo<R, N> as P['name']]: Below<OfResources<R>[P['from']], P['field']>
}

/** The items that the content of a POST may contain, without the reference to the item around them. */
type NestedOf<R extends Resources, N extends keyof R> = {
  readonly [P in InverseTo<R, N> as Extract<P['name'], NestedNamesOf<R[N]>>]?: readonly Omit<
    CreateOf<R[P['from']]>,
    P['field']
  >[]
}

/** The references to N that have an inverse, as a union. */
type InverseTo<R extends Resources, N> = {
  [M in keyof R & string]: {
    [F in keyof FieldsOf<R[M]> & string]: [InverseOf<FieldsOf<R[M]>[F]>] extends [never]
      ? never
      : [TargetOf<FieldsOf<R[M]>[F]>] extends [N]
        ? { readonly name: InverseOf<FieldsOf<R[M]>[F]>; readonly from: M; readonly field: F }
        : never
  }[keyof FieldsOf<R[M]> & string]
}[keyof R & string]

/** The references of a resource, each with the shape of its target. */
type ReferencesOf<R extends Resources, Of extends Resource> = {
  readonly [N in keyof FieldsOf<Of> as TargetOf<FieldsOf<Of>[N]> extends never
    ? never
    : N]: OfResources<R>[TargetOf<FieldsOf<Of>[N]>]
}

/** The sets of references of a resource, each with an array of shapes. */
type MembersOf<R extends Resources, Of extends Resource> = {
  readonly [N in keyof FieldsOf<Of> as RefsTargetOf<FieldsOf<Of>[N]> extends never
    ? never
    : N]: readonly OfResources<R>[RefsTargetOf<FieldsOf<Of>[N]>][]
}

/** The names of the sets of references that can be changed. */
type SetsOf<R extends Resource> = {
  [N in keyof FieldsOf<R>]: RefsTargetOf<FieldsOf<R>[N]> extends never
    ? never
    : Extract<TraitsOf<FieldsOf<R>[N]>, 'immutable'> extends never
      ? N & string
      : never
}[keyof FieldsOf<R>]

/** The names of the fields for one file, or for lists of files. */
type FilesOf<R extends Resource, Trait extends 'file' | 'files'> = {
  [N in keyof FieldsOf<R>]: Extract<TraitsOf<FieldsOf<R>[N]>, Trait> extends never ? never : N & string
}[keyof FieldsOf<R>]

/** The inverses that references of all resources give to a resource, each with an array of shapes. */
type InversesOf<R extends Resources, N> = {
  readonly [I in InverseEntry<R, N> as I[0]]: readonly OfResources<R>[I[1]][]
}

/** The name of an inverse, and the collection with the reference. */
type InverseEntry<R extends Resources, N> = {
  [M in keyof R]: {
    [F in keyof FieldsOf<R[M]>]: TargetOf<FieldsOf<R[M]>[F]> extends N
      ? readonly [InverseOf<FieldsOf<R[M]>[F]>, M]
      : never
  }[keyof FieldsOf<R[M]>]
}[keyof R]

type FieldsOf<R extends Resource> = R[typeof resourceBrand]['fields']

/** A row that was read, with changes. Write-only fields such as passwords may be omitted. */
type ReplaceOf<R extends Resource> = RowOf<R> & Partial<Pick<CreateOf<R>, WriteOnly<R>>>

/** Immutable fields keep their values, so a replacement may omit them. */
type Replacement<R extends Resource, Content> = Content extends unknown
  ? Omit<Content, Immutable<R>> & Partial<Pick<Content, Immutable<R> & keyof Content>>
  : never

type Immutable<R extends Resource> = {
  [N in keyof FieldsOf<R>]: Extract<TraitsOf<FieldsOf<R>[N]>, 'immutable'> extends never ? never : N
}[keyof FieldsOf<R>]

type WriteOnly<R extends Resource> = Exclude<keyof CreateOf<R>, keyof RowOf<R>>

type FilterOf<R extends Resource> = {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
} & {
  readonly [N in keyof FieldsOf<R> as Shown<FieldsOf<R>[N], N>]: ValueOf<FieldsOf<R>[N]>
} & {
  readonly [N in keyof DerivedOf<R> as AggregateValueOf<DerivedOf<R>[N]> extends never
    ? never
    : N]: AggregateValueOf<DerivedOf<R>[N]>
}

type Shown<F extends Field, N> =
  Extract<TraitsOf<F>, 'writeOnly' | 'file' | 'files'> extends never ? N : never

/** The names of the fields that have a trait and are shown. */
type NamesWith<R extends Resource, Trait> = {
  [N in keyof FieldsOf<R>]: Extract<TraitsOf<FieldsOf<R>[N]>, Trait> extends never ? never : N
}[keyof FieldsOf<R>] &
  keyof RowOf<R>

type NumberNames<R extends Resource> = {
  [N in keyof FieldsOf<R>]: [ValueOf<FieldsOf<R>[N]>] extends [number] ? N : never
}[keyof FieldsOf<R>] &
  keyof RowOf<R>

/** JSON has the type unknown. */
type JsonNames<R extends Resource> = {
  [N in keyof FieldsOf<R>]: unknown extends ValueOf<FieldsOf<R>[N]> ? N : never
}[keyof FieldsOf<R>]

type TimeNames<R extends Resource> = NamesWith<R, 'time'> | 'createdAt' | 'updatedAt'

/** Whole fields as rows have them, and the parts of times. */
type GroupsOf<R extends Resource> = Omit<
  RowOf<R>,
  NamesWith<R, 'list' | 'refs' | 'file' | 'files'> | JsonNames<R> | keyof DerivedOf<R>
> & {
  readonly [N in Exclude<TimeNames<R>, NamesWith<R, 'optional'>> as Part<N>]: string
} & {
  readonly [N in TimeNames<R> & NamesWith<R, 'optional'> as Part<N>]?: string
}

type Part<N> = `${N & string}.${'year' | 'month' | 'day'}`

/** `count` and sums are always present; the others are absent where no item has a value. */
type AggregatesOf<R extends Resource> = { readonly count: number } & {
  readonly [N in NumberNames<R> as `${N & string}.sum`]: number
} & {
  readonly [N in NumberNames<R> as `${N & string}.${'avg' | 'min' | 'max'}`]?: number
} & {
  readonly [N in NamesWith<R, 'quantity'> as `${N & string}.sum`]: string
} & {
  readonly [N in NamesWith<R, 'quantity'> as `${N & string}.${'avg' | 'min' | 'max'}`]?: string
} & {
  readonly [N in TimeNames<R> as `${N & string}.${'min' | 'max'}`]?: string
}
