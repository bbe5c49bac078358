/** Actions and queries as users write them: operations on an item or a collection, with input and code. */

import type { CacheOptions } from '../cache-options.ts'
import type { FileField } from '../field.ts'
import type { Job } from '../job.ts'
import type { Resource, RowOf } from '../resource.ts'
import type { Rules } from '../rule-functions.ts'
import type { ContentFields, ContentOf, PlaceIn, SentContentOf } from './content.ts'
import type { ItemsOf } from './items.ts'
import type { ActionTools, CreatedItem, LogicCollection, QueryTools } from './logic-tools.ts'

/** By `Symbol.for`, so that actions of another copy of this package are recognised. */
export const actionBrand: unique symbol = Symbol.for('restwell.action')
export const queryBrand: unique symbol = Symbol.for('restwell.query')

declare const place: unique symbol
declare const shape: unique symbol

type DeclaredResources = Readonly<Record<string, Resource>>

/** The types of an action or a query: its place, its content, and what its code returns. */
interface OperationShape {
  readonly on: 'item' | 'collection' | undefined
  readonly input: ContentFields
  readonly result: ResultDeclaration | undefined
  readonly returned: unknown
  readonly background: boolean
}

/** An action as `action` returns it. The members besides the brand are only in the type. */
export interface ActionOn<R extends DeclaredResources, Item, S = unknown> {
  readonly [actionBrand]: unknown
  [place]?(resources: R, item: Item): void
  readonly [shape]?: S
}

/** A query as `query` returns it. */
export interface QueryOn<R extends DeclaredResources, Item, S = unknown> {
  readonly [queryBrand]: unknown
  [place]?(resources: R, item: Item): void
  readonly [shape]?: S
}

/** The arguments of `run`: the item where the operation is on one, the input, the tools. */
type Arguments<On, Item, Input, Tools> = On extends 'collection'
  ? [input: Input, tools: Tools]
  : [Item] extends [NoItem]
    ? [input: Input, tools: Tools]
    : [item: Item, input: Input, tools: Tools]

/** The item of operations of the service itself. */
export type NoItem = undefined

export interface ActionOptions<
  R extends DeclaredResources,
  Item,
  On extends 'item' | 'collection' | undefined,
  Input extends ContentFields,
  Result extends ResultDeclaration | undefined,
  Returned,
  Background extends boolean,
> {
  /** `'item'` by default. */
  readonly on?: On
  /** The members of the content, declared like the fields of a resource; also lists of objects. */
  readonly input?: Input
  /**
   * The members of the response, declared like the fields of a resource, or `file({ … })`. Without it the response shows an
   * item.
   */
  readonly result?: Result
  /** Who may use it, among the callers who may read the item. The default is `nobody`. */
  readonly by?: Rules
  /**
   * Whether the code runs in the background: the response is 202 with a job, at whose URI the progress and the
   * result are. Each call of a collection is then a transaction of its own.
   */
  readonly background?: Background
  /**
   * Runs before the commit, like a `before` hook, or in the background. It returns the declared result; without one,
   * nothing or an item. Where it created that item the response is 201, or the result of the job is that item.
   */
  run(
    ...args: Arguments<On, Item, ContentOf<NoInfer<Input>>, ActionTools<R, PlaceIn<NoInfer<Input>>>>
  ): Result extends ResultDeclaration ? Awaitable<ReturnedOf<Result, R>> : Returned & DeclaredOrItem<Returned>
}

/** A result: members, a file, or items. */
export type ResultDeclaration = ContentFields | FileField | ItemsOf

/** The value that code returns for the result. */
type ReturnedOf<Result, R> = Result extends FileField
  ? Blob
  : Result extends ItemsOf<infer Name>
    ? Name extends keyof R
      ? readonly (string | { readonly id: string })[]
      : `There is no collection '${Name}'`
    : Result extends ContentFields
      ? ContentOf<Result>
      : never

type Awaitable<T> = T | Promise<T>

/** An item that a collection returned. */
interface StoredItem {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** The result of code that returns nothing. */
type Nothing = ReturnType<() => void> | undefined

/** Refuses values that no declaration has. The text is for the message of the compiler. */
type DeclaredOrItem<Returned> = [Awaited<Returned>] extends [Nothing | StoredItem | CreatedItem]
  ? unknown
  : 'To respond with a value, declare it: result: { … }'

/** Refuses members that the result does not declare, such as a misspelt optional one. */
type OnlyDeclared<Returned, Result> = Result extends ContentFields
  ? [Exclude<MembersOf<Awaited<Returned>>, keyof Result>] extends [never]
    ? unknown
    : `The result has no member '${Exclude<MembersOf<Awaited<Returned>>, keyof Result> & string}'`
  : unknown

type MembersOf<Value> = Value extends object ? keyof Value : never

/**
 * Declares an action: a POST to its name below an item, or with `on: 'collection'` below the collection.
 * Its code reads and writes like a `before` hook, in one transaction with the request; with `background: true` it
 * runs after the response, as a job.
 * @example
 * const people = resource({ name: text() }, { access: { read: anyone } })
 * const tasks = resource({ title: text(), assignee: ref('people').optional() }, { access: { read: anyone } })
 * export default service(
 *   { title: 'Tasks', resources: { people, tasks } },
 *   {
 *     tasks: {
 *       actions: {
 *         assign: action({
 *           input: { person: ref('people') },
 *           by: anyone,
 *           run: (task, { person }, { tasks }) => tasks.patch(task.id, { assignee: person }),
 *         }),
 *       },
 *     },
 *   },
 * )
 */
export function action<
  R extends DeclaredResources,
  Item,
  const Returned,
  const On extends 'item' | 'collection' | undefined = undefined,
  const Input extends ContentFields = Record<never, never>,
  const Result extends ResultDeclaration | undefined = undefined,
  const Background extends boolean = false,
>(
  options: ActionOptions<R, Item, On, Input, Result, Returned, Background> & OnlyDeclared<Returned, Result>,
): ActionOn<R, Item, { on: On; input: Input; result: Result; returned: Returned; background: Background }> {
  return Object.freeze({ [actionBrand]: options })
}

export interface QueryOptions<
  R extends DeclaredResources,
  Item,
  On extends 'item' | 'collection' | undefined,
  Input extends ContentFields,
  Result extends ResultDeclaration,
  Returned,
> {
  /** `'item'` by default. */
  readonly on?: On
  /** The parameters, declared like the fields of a resource. With lists of objects the query needs content. */
  readonly input?: Input
  /** The members of the response, declared like the fields of a resource, `file({ … })`, or `items('…')`. */
  readonly result: Result
  /** Who may use it, among the callers who may read the item. The default is `nobody`. */
  readonly by?: Rules
  /** How long caches may use the response without asking again. Without it they ask each time. */
  readonly cache?: Omit<CacheOptions, 'compositeMaxAge'>
  /** Reads, and returns the declared result. All reads show one moment. */
  run(
    ...args: Arguments<On, Item, ContentOf<NoInfer<Input>>, QueryTools<R, PlaceIn<NoInfer<Input>>>>
  ): Result extends ResultDeclaration ? Awaitable<ReturnedOf<Result, R>> : Returned
}

/**
 * Declares a query: a GET of its name below an item, or with `on: 'collection'` below the collection, with its input as
 * parameters; or a QUERY with its input as content. Its code only reads.
 * @example
 * const tasks = resource({ title: text(), done: boolean().default(false) }, { access: { read: anyone } })
 * export default service(
 *   { title: 'Tasks', resources: { tasks } },
 *   {
 *     tasks: {
 *       queries: {
 *         progress: query({
 *           on: 'collection',
 *           by: anyone,
 *           result: { open: integer() },
 *           run: async (_, { tasks }) => ({ open: await tasks.count({ done: false }) }),
 *         }),
 *       },
 *     },
 *   },
 * )
 */
export function query<
  R extends DeclaredResources,
  Item,
  const Returned,
  const Result extends ResultDeclaration,
  const On extends 'item' | 'collection' | undefined = undefined,
  const Input extends ContentFields = Record<never, never>,
>(
  options: QueryOptions<R, Item, On, Input, Result, Returned> & OnlyDeclared<Returned, Result>,
): QueryOn<R, Item, { on: On; input: Input; result: Result; returned: Returned; background: false }> {
  return Object.freeze({ [queryBrand]: options })
}

/** Returns the options of an action, or undefined when the value is none. */
export function findActionOptions(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Partial<Record<typeof actionBrand, unknown>>)[actionBrand]
}

/** Returns the options of a query, or undefined when the value is none. */
export function findQueryOptions(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Partial<Record<typeof queryBrand, unknown>>)[queryBrand]
}

/** The actions and queries in the logic of a service, by collection and name. */
export type ActionsIn<L> = {
  readonly [N in keyof L]-?: MembersIn<L[N], 'actions'> & MembersIn<L[N], 'queries'>
}

type MembersIn<Part, Name extends string> = Part extends { readonly [N in Name]: infer Members }
  ? Members
  : Record<never, never>

/** The actions among operations, and the queries. */
export type ActionsOf<A> = { readonly [N in keyof A as A[N] extends AnyQuery ? never : N]: A[N] }
export type QueriesOf<A> = { readonly [N in keyof A as A[N] extends AnyQuery ? N : never]: A[N] }

interface AnyQuery {
  readonly [queryBrand]: unknown
}

type ShapeOf<A> = A extends { readonly [shape]?: infer S } ? Extract<S, OperationShape> : never

/** The input of each action or query and what its response shows, as clients use them. Row is the item of one on an item. */
export type ActionShapesOf<A, Row, R> = {
  readonly [N in keyof A]: ShapeOf<A[N]> extends infer S extends OperationShape
    ? {
        readonly on: S['on'] extends 'collection' ? 'collection' : [Row] extends [NoItem] ? 'service' : 'item'
        readonly input: SentContentOf<S['input']>
        readonly result: S['background'] extends true ? Job : ShownBy<S, Row, R>
      }
    : never
}

type ShownBy<S extends OperationShape, Row, R> = S['result'] extends ResultDeclaration
  ? ShownResult<S['result'], R>
  : (S['on'] extends 'collection' ? never : Row) | ItemIn<S['returned']> | undefined

/** A file has the name of the operation where its code gives none. */
type ShownResult<Result, R> = Result extends FileField
  ? File
  : Result extends ItemsOf<infer Name>
    ? readonly ItemOf<R, Name>[]
    : ReturnedOf<Result, R>

type ItemOf<R, Name> = Name extends keyof R ? (R[Name] extends Resource ? RowOf<R[Name]> : never) : never

/** `{ jobs: Job }` where one of the actions runs in the background. */
export type JobsOf<A> = true extends {
  [N in keyof A]: { [K in keyof A[N]]: ShapeOf<A[N][K]>['background'] }[keyof A[N]]
}[keyof A]
  ? { readonly jobs: Job }
  : unknown

/** The item that code returns or names, if any. */
type ItemIn<Returned> =
  | Extract<Awaited<Returned>, { readonly id: string }>
  | (Awaited<Returned> extends CreatedItem<infer Row> ? Row : never)

/** The collections with all rights, with a method for each action and query, and those of the service. */
export type SystemCollections<R extends Readonly<Record<string, Resource>>, A> = {
  readonly [N in keyof R]: LogicCollection<R[N]> &
    (N extends keyof A ? ActionMethods<ActionShapesOf<A[N], RowOf<R[N]>, R>> : unknown)
} & (A extends { readonly '/': infer Own } ? ActionMethods<ActionShapesOf<Own, NoItem, R>> : unknown)

/** Each takes the id of the item, unless it is on the collection, and the input; `{}` without any. */
type ActionMethods<Shapes> = {
  readonly [N in keyof Shapes]: Shapes[N] extends {
    readonly on: infer On
    readonly input: infer Input
    readonly result: infer Result
  }
    ? On extends 'item'
      ? (id: string, input: Input) => Promise<Result>
      : (input: Input) => Promise<Result>
    : never
}
