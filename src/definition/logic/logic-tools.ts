/** The types of the tools that hooks and actions get: the collections by name, and what belongs to the request. */

import type { ClientProblemName } from '../../refusal.ts'
import type { MailTool } from '../mail-template.ts'
import type { CreateOf, PatchOf, Resource, RowOf } from '../resource.ts'

type DeclaredResources = Readonly<Record<string, Resource>>

/** The collections by name. */
export type LogicCollections<R extends DeclaredResources> = {
  readonly [N in keyof R]: LogicCollection<R[N]>
}

/** The tools of all code besides the collections. Place: the members that a refusal can point to. */
interface CommonTools<Place extends string> {
  /**
   * Who sent the request or made the change, with the present roles of the account; of kind `system` where no request
   * has caused the call.
   */
  readonly caller: Caller
  /** The time of the request, the attempt or the run, as a timestamp. */
  readonly now: string
  /**
   * Ends the code with a problem of a 4xx type: `return refuse('state-conflict', 'The project is closed.')`. With
   * `{ field }` the problem points to the member, and forms show it there. Where there is no request, it ends the attempts.
   */
  refuse(type: ClientProblemName, detail: string, at?: { readonly field: Place }): never
  /** The id of the request; undefined where no request has caused the call. */
  readonly requestId: string | undefined
  /** Aborted when the time of the code is over, and when the job is cancelled or the service stops. */
  readonly signal: AbortSignal
}

/**
 * The tools that all code has that writes: hooks, actions, routes, schedules, and programs by `as` and `system`. So a
 * function that takes them can be called from each of these. Place: the members that a refusal can point to.
 * @example
 * import { anyone, resource, text, type Tools } from 'restwell'
 *
 * const resources = { notes: resource({ text: text() }, { access: { read: anyone } }) }
 * const note = (words: string, { notes }: Tools<typeof resources>) => notes.create({ text: words })
 */
export type Tools<R extends DeclaredResources, Place extends string = never> = LogicCollections<R> &
  CommonTools<Place> & {
    /** The same tools with the rights of the caller instead of all rights. Takes the tool `caller`. */
    as(caller: Caller): Tools<R>
    /** Mails, which are queued with the writes and sent after the commit. Needs `templates` of the option `mail`. */
    readonly mail: MailTool
    /**
     * Makes the calls of `work` one transaction, and runs `work` again after a conflict. Where the code is one
     * transaction already (`before`, actions, routes), `work` is a part of it. If `work` rejects, nothing is written.
     */
    transaction<Result>(work: (tools: Tools<R>) => Result | Promise<Result>): Promise<Result>
  }

/** The collections by name, as code uses them that only reads. */
export type ReadCollections<R extends DeclaredResources> = {
  readonly [N in keyof R]: ReadCollection<R[N]>
}

/**
 * The tools of code that only reads: queries, and the code of a signature. A function that takes them can be called from
 * code that writes too.
 * @example
 * import { anyone, type ReadTools, resource, text } from 'restwell'
 *
 * const resources = { notes: resource({ text: text() }, { access: { read: anyone } }) }
 * const newest = async ({ notes }: ReadTools<typeof resources>) => (await notes.list({ sort: '-id', limit: 1 }))[0]
 */
export type ReadTools<R extends DeclaredResources, Place extends string = never> = ReadCollections<R> &
  CommonTools<Place> & {
    /** The same tools with the rights of the caller instead of all rights. */
    as(caller: Caller): ReadTools<R>
  }

/** The tools of a query. */
export type QueryTools<R extends DeclaredResources, Place extends string = never> = ReadTools<R, Place> &
  OfRequest

interface OfRequest {
  readonly requestId: string
}

/** The tools of an action. */
export type ActionTools<R extends DeclaredResources, Place extends string = never> = Tools<R, Place> &
  OfRequest & {
    /**
     * Responds with 201, the `Location` of this item and the declared result, or without one the item:
     * `return created('orders', id, { total })`. Where the caller may not read the item, with 200 and the result.
     */
    readonly created: CreatedTool<R>
    /** Responds with 303 and this `Location`, an https URI or a path: `return seeOther('https://pay.example/1')`. */
    seeOther(uri: string | URL): never
    /**
     * Of a background action: sets the progress of its job, from 0 to 1, and a message. It has no effect in other
     * actions.
     */
    report(progress: number, message?: string): void
  }

export interface CreatedTool<R extends DeclaredResources> {
  <N extends keyof R & string>(collection: N, id: string): CreatedItem<RowOf<R[N]>>
  <const Result extends object>(collection: keyof R & string, id: string, result: Result): Result
}

declare const createdItem: unique symbol

/** The value of `created` without a result, to be returned. */
export interface CreatedItem<Row = unknown> {
  readonly [createdItem]: Row
}

/** The tools of a hook of an item of N. */
export type LogicTools<R extends DeclaredResources, N extends keyof R> = Tools<
  R,
  keyof RowOf<R[N]> & string
> &
  OfRequest & {
    /** The item before the change; undefined for a new item. */
    readonly previous: RowOf<R[N]> | undefined
    /** Changes the item to be stored; null removes an optional field. */
    set(changes: SettableOf<R[N]>): void
  }

/**
 * The caller of a request, as code sees it.
 * @example
 * import type { Caller } from 'restwell'
 *
 * const isEditor = ({ roles }: Caller) => roles.includes('editor')
 */
export interface Caller {
  readonly kind: 'anonymous' | 'account' | 'external' | 'system'
  /** The id of the account; undefined for callers without one. */
  readonly id?: string
  readonly roles: readonly string[]
}

type SystemName = 'id' | 'createdAt' | 'updatedAt'

/** All fields that code can set, read-only ones included. */
export type SettableOf<R extends Resource> = {
  readonly [N in Exclude<keyof RowOf<R>, SystemName>]?: Settable<RowOf<R>, N>
}

type Settable<Row, N extends keyof Row> = undefined extends Row[N] ? Row[N] | null : Row[N]

/** The methods of a collection that read. */
export interface ReadCollection<R extends Resource> {
  list(query?: LogicQuery<RowOf<R>>): Promise<readonly RowOf<R>[]>
  /** Rejects where there is no such item. */
  get(id: string): Promise<RowOf<R>>
  count(query?: LogicFilter<RowOf<R>>): Promise<number>
}

/** The methods of a collection within logic. Reads see the writes of the same request. */
export interface LogicCollection<R extends Resource> extends ReadCollection<R> {
  create(item: CreateOf<R> & SettableOf<R>): Promise<RowOf<R>>
  patch(id: string, changes: PatchOf<R> & SettableOf<R>): Promise<RowOf<R>>
  replace(id: string, item: CreateOf<R> & SettableOf<R>): Promise<RowOf<R>>
  remove(id: string): Promise<void>
}

export type LogicFilter<Row> = {
  readonly [N in keyof Row]?: Compared<NonNullable<Row[N]>>
} & { readonly [path: `${string}.${string}`]: unknown }

/** A list and a set of references are compared by their elements. */
type Compared<Value> = Value extends readonly (infer Element)[]
  ? { readonly has?: Element; readonly missing?: boolean }
  : Value | LogicComparison<Value>

/** The operators of a filter, as in the query of a list. */
export interface LogicComparison<Value> {
  readonly ne?: Value
  readonly in?: readonly Value[]
  readonly lt?: Value
  readonly lte?: Value
  readonly gt?: Value
  readonly gte?: Value
  readonly contains?: string
  readonly starts?: string
  readonly missing?: boolean
}

export type LogicQuery<Row> = LogicFilter<Row> & {
  readonly sort?: LogicOrder<Row> | readonly LogicOrder<Row>[]
  /** From 1 to 1,000; 50 by default. */
  readonly limit?: number
}

type LogicOrder<Row> = (keyof Row & string) | `-${keyof Row & string}`
