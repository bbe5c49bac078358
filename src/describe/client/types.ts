/** The types of the client. Types only, because the text of this file is part of a `.d.ts`. */

import type { ActionShape, Actions } from './action-types.ts'
import type { Batch, BatchResponse } from './batch-types.ts'
import type { Change, ChangesQuery } from './change.ts'
import type { FileResources } from './file.ts'
import type { Version } from './item-version.ts'
import type { JobMethods } from './job-types.ts'
import type { MailMethods } from './mail-methods.ts'

/** The types of a collection: its items, the content of writes, its filters. */
export interface Shape {
  readonly row: { readonly id: string }
  readonly create: object
  readonly replace: object
  readonly patch: object
  /** The fields to filter by, with the types of their values. */
  readonly filter: object
  /** The relations to embed: a reference has the shape of its target, an inverse and a set an array of shapes. */
  readonly embed: object
  /** The names of the sets of references whose members can be added and removed one by one. */
  readonly sets: string
  /** The members that rows can be grouped by; absent where no item of a group has a value. */
  readonly groups: object
  /** The values that can be computed from a group. */
  readonly aggregates: object
  /** The result of `create`, when it has more members than the row. */
  readonly created?: object
  readonly below?: { readonly [name: string]: Shape }
  readonly actions?: { readonly [name: string]: ActionShape }
  /** The names of the fields for one file. */
  readonly files?: string
  /** The names of the lists of files. */
  readonly fileLists?: string
  /** Whether its items are jobs. */
  readonly isJob?: true
}

export type Shapes = { readonly [collection: string]: Shape }

/** The collections of the service this client is for. */
export type Service = Shapes

/**
 * A client: each collection of the service is a property.
 * @example
 * import { type Client, client, type ShapesOf } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const api: Client<ShapesOf<typeof definition>> = client('http://localhost:3000')
 */
export type Client<S extends Shapes = Service> = {
  readonly [N in keyof S]: Collection<S[N]> &
    SubCollections<S[N]> &
    Actions<S[N]> &
    FileResources<S[N]> &
    JobMethods<S[N]>
} & {
  /** Sends the requests that the function adds: all of them have an effect, or none. */
  readonly batch: (build: (batch: Batch<S>) => void) => Promise<readonly BatchResponse[]>
} & MailMethods

/** The shape of a sub-collection: its items may be created without the reference F. */
export type Below<S extends Shape, F extends string> = Omit<S, 'create' | 'below' | 'actions'> & {
  readonly create: Omit<S['create'], F> & Partial<Pick<S['create'], F & keyof S['create']>>
}

/** For each inverse of a resource a function from the id of an item to the items that refer to it. */
export type SubCollections<S extends Shape> = S extends { readonly below: infer B }
  ? {
      readonly [N in keyof B]: (
        id: string,
      ) => SubCollection<B[N] extends Shape ? B[N] : never> & Actions<B[N]>
    }
  : unknown

/**
 * The methods of a sub-collection, such as the tasks of a project. `create` sets the reference.
 * @example
 * import { client } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const api = client<typeof definition>('http://localhost:3000')
 * await api.projects.tasks('apollo').create({ title: 'Write the report' })
 */
export type SubCollection<S extends Shape = Shape> = Pick<
  Collection<S>,
  'list' | 'all' | 'query' | 'count' | 'aggregate' | 'changes' | 'create' | 'createMany'
>

/**
 * The methods of a collection. F are the fields and E the relations that a query selects. When the
 * caller may write an item but not read it, a write returns only its `id`.
 * @example
 * import { client } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const { notes } = client<typeof definition>('http://localhost:3000')
 * for await (const { id, title } of notes.all({ done: false, fields: ['title'] })) console.log(id, title)
 */
export interface Collection<S extends Shape = Shape> {
  /** Returns a page of the list. */
  list<const F extends FieldName<S> = never, const E extends EmbedName<S> = never>(
    query?: Query<S, F, E>,
  ): Promise<Page<Item<S, F, E>>>
  /** Iterates over all visible items: `for await (const item of api.items.all())`. */
  all<const F extends FieldName<S> = never, const E extends EmbedName<S> = never>(
    query?: Query<S, F, E>,
  ): AsyncGenerator<Item<S, F, E>, void, undefined>
  /** Returns a page of a QUERY request, in which `any`, `all` and `not` combine conditions. */
  query<const F extends FieldName<S> = never, const E extends EmbedName<S> = never>(
    condition: Condition<S['filter']>,
    query?: Query<S, F, E>,
  ): Promise<Page<Item<S, F, E>>>
  /** Returns the number of visible items that match. */
  count(query?: Filter<S['filter']> & Search): Promise<number>
  /** Returns a row for each group of the visible items that match; one row without `groupBy`. */
  aggregate<const A extends AggregateName<S>, const G extends GroupName<S> = never>(
    query: AggregateQuery<S, A, G>,
  ): Promise<readonly AggregateRow<S, A, G>[]>
  /** Follows the changes of the visible items that match, and connects again by itself. */
  changes(query?: Filter<S['filter']> & ChangesQuery): AsyncGenerator<Change<S['row']>, void, undefined>
  get<const F extends FieldName<S> = never, const E extends EmbedName<S> = never>(
    id: string,
    selection?: Selection<F, E>,
  ): Promise<Item<S, F, E>>
  /** Creates an item, with an Idempotency-Key, so that a retry does not create a second one. */
  create(item: S['create']): Promise<CreatedOf<S>>
  /** Creates all of the items or none. The resource must declare `bulk`. */
  createMany(items: readonly S['create'][]): Promise<readonly S['row'][]>
  /** Replaces the item if it has not changed since it was last read; else throws a Conflict. */
  replace(id: string, item: S['replace']): Promise<S['row']>
  /** Changes some fields (null removes one) if the item has not changed; else throws a Conflict. */
  patch(id: string, changes: S['patch']): Promise<S['row']>
  remove(id: string): Promise<void>
  /** Add an item to a set of references, and remove it; the other members stay, even if other callers change them. */
  addElement(id: string, set: S['sets'], member: string): Promise<void>
  removeElement(id: string, set: S['sets'], member: string): Promise<void>
  /** Returns a page of the item's versions, newest first. The resource must declare `history`. */
  history(id: string, query?: { readonly limit?: number }): Promise<Page<Version>>
  /** Returns the item as it was in a version of its history. */
  version(id: string, version: string): Promise<S['row']>
}

export type FieldName<S extends Shape> = keyof S['row'] & string
/** The relations to embed: names, and paths of up to three names such as `'task.project'`. */
export type EmbedName<S extends Shape> = {
  [N in RelationName<S>]: N | `${N}.${ShortEmbedName<Related<S, N>>}`
}[RelationName<S>]
export type ShortEmbedName<S extends Shape> = {
  [N in RelationName<S>]: N | `${N}.${RelationName<Related<S, N>>}`
}[RelationName<S>]
export type RelationName<S extends Shape> = keyof S['embed'] & string
/** The shape of the items that a relation leads to. */
export type Related<
  S extends Shape,
  N extends RelationName<S>,
> = S['embed'][N] extends readonly (infer T extends Shape)[]
  ? T
  : S['embed'][N] extends Shape
    ? S['embed'][N]
    : never
export type CreatedOf<S extends Shape> = S extends { readonly created: infer C } ? C : S['row']

/** A row with the selected fields (by default all) and the embedded items. */
export type Item<S extends Shape, F extends FieldName<S>, E extends string> = ([F] extends [never]
  ? S['row']
  : Pick<S['row'], F | 'id' | (FirstName<E> & FieldName<S>)>) &
  Embedding<S, E>

/** The embedded items. An inverse embeds the first 50; `_links` leads to all where there are more. */
export type Embedding<S extends Shape, E extends string> = [E] extends [never]
  ? unknown
  : {
      readonly _embedded?: {
        readonly [N in FirstName<E> & RelationName<S>]?: EmbeddedValue<S, N, FurtherNames<E, N>>
      }
      readonly _links?: { readonly [N in FirstName<E> & RelationName<S>]?: { readonly href: string } }
    }
export type EmbeddedValue<
  S extends Shape,
  N extends RelationName<S>,
  E extends string,
> = S['embed'][N] extends readonly unknown[]
  ? readonly Item<Related<S, N>, never, E>[]
  : Item<Related<S, N>, never, E>
export type FirstName<E extends string> = E extends `${infer N}.${string}` ? N : E
export type FurtherNames<E extends string, N extends string> = E extends `${N}.${infer Rest}` ? Rest : never

/**
 * An array of items; `next` loads the following page and is undefined on the last.
 * @example
 * import { client } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const { notes } = client<typeof definition>('http://localhost:3000')
 * const first = await notes.list({ sort: '-createdAt', limit: 20 })
 * const second = await first.next?.()
 */
export interface Page<Row> extends Array<Row> {
  next: (() => Promise<Page<Row>>) | undefined
}

export interface Selection<F extends string, E extends string> {
  readonly fields?: readonly F[]
  readonly embed?: readonly E[]
}

export interface Search {
  /** Words that the declared search fields must contain. */
  readonly q?: string
}

/**
 * Filters, search, selection, order and page size of a list.
 * @example
 * import { client } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const { notes } = client<typeof definition>('http://localhost:3000')
 * await notes.list({ done: false, title: { contains: 'milk' }, sort: '-updatedAt', limit: 10 })
 */
export type Query<S extends Shape, F extends string = never, E extends string = never> = Filter<S['filter']> &
  Search &
  Selection<F, E> & {
    readonly sort?: Order<SortName<S>> | readonly Order<SortName<S>>[]
    readonly limit?: number
  }

export type GroupName<S extends Shape> = keyof S['groups'] & string
export type AggregateName<S extends Shape> = keyof S['aggregates'] & string

/**
 * The values to compute, the groups, and the filters, search and order.
 * @example
 * import { client } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const { notes } = client<typeof definition>('http://localhost:3000')
 * const rows = await notes.aggregate({ aggregate: ['count'], groupBy: ['done'], sort: '-count' })
 */
export type AggregateQuery<S extends Shape, A extends string, G extends string> = Filter<S['filter']> &
  Search & {
    readonly aggregate: readonly A[]
    readonly groupBy?: readonly G[]
    /** One of the groups or aggregates; `-` before a name means descending. */
    readonly sort?: AggregateOrder<A | G> | readonly AggregateOrder<A | G>[]
  }

export type AggregateOrder<Name extends string> = NoInfer<Name | `-${Name}`>

export type AggregateRow<S extends Shape, A extends string, G extends string> = Pick<
  S['aggregates'],
  A & keyof S['aggregates']
> &
  Pick<S['groups'], G & keyof S['groups']>

export type Order<Name extends string> = Name | `-${Name}`

/** A field, or a path of up to three names through references, such as `'project.name'`. */
export type SortName<S extends Shape> =
  | FieldName<S>
  | { [N in ReferenceName<S>]: `${N}.${ShortSortName<Related<S, N>>}` }[ReferenceName<S>]
export type ShortSortName<S extends Shape> =
  | FieldName<S>
  | { [N in ReferenceName<S>]: `${N}.${FieldName<Related<S, N>>}` }[ReferenceName<S>]
export type ReferenceName<S extends Shape> = {
  [N in RelationName<S>]: S['embed'][N] extends readonly unknown[] ? never : N
}[RelationName<S>]

/** A value to equal, or operators; `'author.name'` filters by a field of a related item. */
export type Filter<F> = { readonly [N in keyof F]?: F[N] | Comparison<F[N]> } & {
  readonly [path: `${string}.${string}`]: unknown
}

/** The content of a QUERY: conditions on fields, and combinations of conditions. */
export type Condition<F> = Filter<F> & {
  readonly any?: readonly Condition<F>[]
  readonly all?: readonly Condition<F>[]
  readonly not?: Condition<F>
}

// In brackets, so that a union of choices is not distributed.
export type Comparison<V> = [V] extends [readonly (infer Item)[]]
  ? { readonly has?: Item; readonly missing?: boolean }
  : {
      readonly ne?: V
      readonly in?: readonly V[]
      readonly lt?: V
      readonly lte?: V
      readonly gt?: V
      readonly gte?: V
      readonly missing?: boolean
    } & ([V] extends [string] ? { readonly contains?: string; readonly starts?: string } : unknown)
