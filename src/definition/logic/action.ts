/** Actions as users write them: operations on an item or a collection, with input and code. */

import type { Job } from '../job.ts'
import type { CreateOf, DeclaredFields, Resource, RowOf } from '../resource.ts'
import type { Rules } from '../rule-functions.ts'
import type { LogicCollection } from './logic-tools.ts'

/** By `Symbol.for`, so that actions of another copy of this package are recognised. */
export const actionBrand: unique symbol = Symbol.for('restwell.action')

declare const place: unique symbol
declare const onItem: unique symbol
declare const onCollection: unique symbol

/** An action on an item, as `action` returns it. The members besides the brand are only in the type. */
export interface ItemAction<Item, Tools, Input extends DeclaredFields = DeclaredFields, Result = unknown> {
  readonly [actionBrand]: unknown
  readonly [place]?: 'item'
  [onItem]?(item: Item, input: InputOf<Input>, tools: Tools): Result
}

/** An action on a collection. */
export interface CollectionAction<Tools, Input extends DeclaredFields = DeclaredFields, Result = unknown> {
  readonly [actionBrand]: unknown
  readonly [place]?: 'collection'
  [onCollection]?(input: InputOf<Input>, tools: Tools): Result
}

/** The input as code gets it: all fields with a value, defaults included. */
export type InputOf<F extends DeclaredFields> = Omit<
  RowOf<Resource<F, Record<never, never>>>,
  'id' | 'createdAt' | 'updatedAt'
>

interface SharedOptions<Input extends DeclaredFields, Background extends boolean> {
  /** The members of the content, declared like the fields of a resource. */
  readonly input?: Input
  /** Who may use it, among the callers who may read the item. The default is `nobody`. */
  readonly by?: Rules
  /**
   * Whether the code runs in the background: the response is 202 with a job, at whose URI the progress and the
   * result are. Each call of a collection is then a transaction of its own.
   */
  readonly background?: Background
}

/** The content of the response: the job of an action that runs in the background. */
type Shown<Result, Background> = Background extends true ? Job : Result

export interface ItemActionOptions<
  Item,
  Tools,
  Input extends DeclaredFields,
  Result,
  Background extends boolean = boolean,
> extends SharedOptions<Input, Background> {
  readonly on?: 'item'
  /**
   * Runs before the commit, like a `before` hook, or in the background. Where it returns an item that it created,
   * the response is 201, or the result of the job is that item.
   */
  run(item: Item, input: InputOf<NoInfer<Input>>, tools: Tools): Result
}

export interface CollectionActionOptions<
  Tools,
  Input extends DeclaredFields,
  Result,
  Background extends boolean = boolean,
> extends SharedOptions<Input, Background> {
  readonly on: 'collection'
  run(input: InputOf<NoInfer<Input>>, tools: Tools): Result
}

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
  Item,
  Tools,
  const Input extends DeclaredFields = Record<never, never>,
  Result = unknown,
  const Background extends boolean = false,
>(
  options: ItemActionOptions<Item, Tools, Input, Result, Background>,
): ItemAction<Item, Tools, Input, Shown<Result, Background>>
export function action<
  Tools,
  const Input extends DeclaredFields = Record<never, never>,
  Result = unknown,
  const Background extends boolean = false,
>(
  options: CollectionActionOptions<Tools, Input, Result, Background>,
): CollectionAction<Tools, Input, Shown<Result, Background>>
export function action(options: unknown): { readonly [actionBrand]: unknown } {
  return Object.freeze({ [actionBrand]: options })
}

/** Returns the options of an action, or undefined when the value is none. */
export function findActionOptions(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Partial<Record<typeof actionBrand, unknown>>)[actionBrand]
}

/** The actions in the logic of a service, by collection and name. */
export type ActionsIn<L> = {
  readonly [N in keyof L]-?: L[N] extends { readonly actions: infer A } ? A : Record<never, never>
}

/** The input of an action and the item that it shows, as clients use them. Row is the item of an action on one. */
export type ActionShapesOf<A, Row> = {
  readonly [N in keyof A]: A[N] extends ItemAction<infer _Item, infer _Tools, infer I, infer Result>
    ? {
        readonly on: 'item'
        readonly input: ContentOf<I>
        readonly result: IsJob<Result> extends true ? Job : Row | ItemIn<Result> | undefined
      }
    : A[N] extends CollectionAction<infer _Tools, infer I, infer Result>
      ? {
          readonly on: 'collection'
          readonly input: ContentOf<I>
          readonly result: IsJob<Result> extends true ? Job : ItemIn<Result> | undefined
        }
      : never
}

/** The content that a client sends. */
type ContentOf<F extends DeclaredFields> = CreateOf<Resource<F, Record<never, never>>>

/** Whether the action runs in the background. */
type IsJob<Result> = [Result] extends [Job] ? ([Result] extends [never] ? false : true) : false

/** `{ jobs: Job }` where one of the actions runs in the background. */
export type JobsOf<A> = true extends {
  [N in keyof A]: {
    [K in keyof A[N]]: A[N][K] extends
      | ItemAction<infer _Item, infer _Tools, infer _Input, infer Result>
      | CollectionAction<infer _CollectionTools, infer _CollectionInput, infer Result>
      ? IsJob<Result>
      : false
  }[keyof A[N]]
}[keyof A]
  ? { readonly jobs: Job }
  : unknown

/** The item that code returns, if any. */
type ItemIn<Result> = Extract<Awaited<Result>, { readonly id: string }>

/** The collections with all rights, with a method for each action. */
export type SystemCollections<R extends Readonly<Record<string, Resource>>, A> = {
  readonly [N in keyof R]: LogicCollection<R[N]> &
    (N extends keyof A ? ActionMethods<ActionShapesOf<A[N], RowOf<R[N]>>> : unknown)
}

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
