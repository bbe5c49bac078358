/**
 * Logic as users write it: code that runs when items are written, by resource. Its types follow from
 * the resources. Nothing is checked here, so that all faults are reported at once.
 */

import type { Resource, RowOf } from '../resource.ts'
import type { ActionOn, NoItem, QueryOn } from './action.ts'
import type { LogicTools, Tools } from './logic-tools.ts'
import type { Route } from './route.ts'

type DeclaredResources = Readonly<Record<string, Resource>>

/** The code of a service, by collection name. */
export type Logic<R extends DeclaredResources> = {
  readonly [N in keyof R]?: ResourceLogic<RowOf<R[N]>, LogicTools<R, N>, R>
} & {
  /** The code of the service itself. */
  readonly '/'?: ServiceLogic<R>
}

export interface ServiceLogic<R extends DeclaredResources> {
  /** Operations of the service by name: POST to the name below `base`. */
  readonly actions?: { readonly [name: string]: ActionOn<R, NoItem> }
  /** Reads of the service by name: GET of the name below `base`. */
  readonly queries?: { readonly [name: string]: QueryOn<R, NoItem> }
  /** Code that runs at certain times, by name. */
  readonly schedules?: Readonly<Record<string, Schedule<Tools<R>>>>
  /** Code that gets requests as they were sent, by path below `base`. */
  readonly routes?: { readonly [path: `/${string}`]: Route<R> }
}

/** The code that runs when items of a resource are written. */
export interface ResourceLogic<Item, ToolsBefore, R extends DeclaredResources> {
  /** Conditions that each item to be stored must satisfy. */
  readonly checks?: readonly RecordCheck<Item>[]
  /** Code that runs before the commit. It may run several times, so it must have no effect outside of the service. */
  readonly before?: BeforeHooks<Item, ToolsBefore>
  /** Code that runs after the commit, at least once for each change, in order for each item. */
  readonly after?: AfterHooks<Item, Tools<R>>
  /** Code that runs at certain times, by name. */
  readonly schedules?: Readonly<Record<string, Schedule<Tools<R>>>>
  /** Operations on an item or on the collection, by name: the last segment of their URI. */
  readonly actions?: { readonly [name: string]: ActionOn<R, Item> }
  /** Reads of an item or of the collection, by name: the last segment of their URI. */
  readonly queries?: { readonly [name: string]: QueryOn<R, Item> }
}

/** Each hook gets the item as it would be stored, or as it is before a deletion. */
export interface BeforeHooks<Item, Tools> {
  create?(item: Item, tools: Tools & PreviousItem<undefined>): void | Promise<void>
  update?(item: Item, tools: Tools & PreviousItem<Item>): void | Promise<void>
  delete?(item: Item, tools: Tools & PreviousItem<Item>): void | Promise<void>
}

/** Each hook gets the item as the change left it, or as it was before a deletion. */
export interface AfterHooks<Item, Tools> {
  created?(item: Item, tools: Tools & PreviousItem<undefined>): void | Promise<void>
  updated?(item: Item, tools: Tools & PreviousItem<Item>): void | Promise<void>
  deleted?(item: Item, tools: Tools & PreviousItem<Item>): void | Promise<void>
}

interface PreviousItem<Item> {
  /** The item before the change; undefined for a new item. */
  readonly previous: Item
}

/** Accepts L only if each of its names is a resource of R or a hook: excess names are not errors otherwise. */
export type KnownLogic<R, L> = {
  readonly [N in keyof L]: N extends keyof R
    ? {
        readonly [H in keyof L[N]]: H extends keyof ResourceLogic<unknown, unknown, DeclaredResources>
          ? KnownHook<H, L[N][H]>
          : never
      }
    : N extends '/'
      ? {
          readonly [H in keyof L[N]]: H extends 'routes'
            ? KnownRoutes<L[N][H]>
            : H extends keyof ServiceLogic<DeclaredResources>
              ? unknown
              : never
        }
      : never
}

type KnownRoutes<Value> = {
  readonly [K in keyof Value]: K extends `/${string}` ? unknown : `A path begins with '/': '/${K & string}'`
}

type KnownHook<H, Value> = H extends keyof NamedHooks
  ? { readonly [K in keyof Value]: K extends keyof NamedHooks[H] ? unknown : never }
  : unknown

/** The hooks that are objects of functions. */
interface NamedHooks {
  readonly before: BeforeHooks<unknown, unknown>
  readonly after: AfterHooks<unknown, unknown>
}

/**
 * A condition on the fields of an item, as `check` returns it.
 * @example
 * import { check, type RecordCheck } from 'restwell'
 *
 * const dueAfterStart: RecordCheck<{ start: string; due: string }> = check(
 *   'due',
 *   'must not be before the start',
 *   (task) => task.due >= task.start,
 * )
 */
export interface RecordCheck<Item> {
  readonly field: keyof Item & string
  readonly message: string
  readonly test: (item: Item) => boolean
}

/**
 * Declares a condition on the fields of an item. It is evaluated on the item to be stored, for every
 * way of writing. Where `test` returns false, the request is refused with 422, a pointer to the field
 * and the message. The test must be pure: it sees only the item.
 * @example
 * const tasks = resource({ start: date().optional(), due: date().optional() })
 * export default service(
 *   { title: 'Tasks', resources: { tasks } },
 *   {
 *     tasks: {
 *       checks: [
 *         check('due', 'Must not be before the start.', ({ start, due }) => !start || !due || due >= start),
 *       ],
 *     },
 *   },
 * )
 */
export function check<Item>(
  field: NoInfer<keyof Item & string>,
  message: string,
  test: (item: Item) => boolean,
): RecordCheck<Item> {
  return Object.freeze({ field, message, test })
}

/**
 * Code that runs at certain times, as `schedule` returns it.
 * @example
 * import { schedule, type Schedule } from 'restwell'
 *
 * const hourly: Schedule<{ now: string }> = schedule('0 * * * *', ({ now }) => console.log(now))
 */
export interface Schedule<Tools> {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string
  readonly run: (tools: Tools) => void | Promise<void>
}

/**
 * Declares code that runs at certain times in UTC, on one node. A time that comes while no node runs is
 * made up for once at the next start.
 * @example
 * const tokens = resource({ validUntil: timestamp() })
 * export default service(
 *   { title: 'Links', resources: { links: tokens } },
 *   {
 *     links: {
 *       schedules: {
 *         nightly: schedule('0 3 * * *', async ({ links, now }) => {
 *           for (const { id } of await links.list({ validUntil: { lt: now } })) await links.remove(id)
 *         }),
 *       },
 *     },
 *   },
 * )
 */
export function schedule<Tools>(cron: string, run: (tools: Tools) => void | Promise<void>): Schedule<Tools> {
  return Object.freeze({ cron, run })
}
