/** Routes as users write them: paths whose code gets the request as it was sent. */

import type { Resource } from '../resource.ts'
import type { Rules } from '../rule-functions.ts'
import type { ReadTools, Tools } from './logic-tools.ts'
import type { Verifier } from './verify.ts'

/** By `Symbol.for`, so that routes of another copy of this package are recognised. */
export const routeBrand: unique symbol = Symbol.for('restwell.route')

declare const resources: unique symbol
declare const noEvent: unique symbol

type DeclaredResources = Readonly<Record<string, Resource>>

/** The event of a route without `verify`. */
export interface NoEvent {
  readonly [noEvent]?: never
}

/** A route as `route` returns it. The members besides the brand are only in the type. */
export interface Route<R extends DeclaredResources> {
  readonly [routeBrand]: unknown
  [resources]?(all: R): void
}

export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The tools of a route; `event` is the verified one. */
export type RouteTools<R extends DeclaredResources, Event> = Tools<R> & {
  readonly requestId: string
  readonly event: Event
}

export interface RouteOptions<R extends DeclaredResources, Event> {
  /** HEAD is offered with GET, OPTIONS always. */
  readonly methods: readonly [RouteMethod, ...RouteMethod[]]
  /** Who may use it. The default is `nobody`; with `verify` it is `anyone`, because the signature says who sends. */
  readonly by?: Rules
  /**
   * Checks the signature. Write it before `once` and `run`, which have the type of its event. Code of your own returns
   * the event, or undefined for a request that is not genuine, which is 403.
   */
  readonly verify?:
    | Verifier<Event>
    | ((request: Request, tools: ReadTools<R>) => Event | undefined | Promise<Event | undefined>)
  /**
   * Returns the id of the event. It is stored with the writes for 30 days: a repetition gets the first response, and
   * `run` is not called.
   */
  readonly once?: (event: NoInfer<Event>) => string
  /** The largest content, `'1 MB'` by default, at most `'10 MB'`. */
  readonly maxSize?: string
  /**
   * Whether the session cookie of the pages counts as credentials. Then pages of other origins may not send unsafe
   * methods, and the code may not write in a GET.
   */
  readonly cookie?: boolean
  /** The time of `verify` and of `run`, such as `'30 seconds'`; 10 seconds by default, at most a minute. */
  readonly time?: string
  /** Runs in one transaction, which may be repeated: it must have no effect outside of the service. */
  run(request: Request, tools: RouteTools<R, NoInfer<Event>>): Response | Promise<Response>
}

/**
 * Declares a route. Its key in the logic is its path, below `base`. `run` gets a standard `Request` and returns a
 * standard `Response`. Its writes are stored where that is 2xx or 3xx.
 * @example
 * const orders = resource({ number: text().unique(), paid: boolean().default(false) }, { key: 'number' })
 * export default service(
 *   { title: 'Shop', resources: { orders } },
 *   {
 *     '/': {
 *       routes: {
 *         '/hooks/payments': route({
 *           methods: ['POST'],
 *           verify: standardWebhooks(env('PAYMENTS_SECRET'), { parse: (paid) => paid as { order: string } }),
 *           once: ({ id }) => id,
 *           async run(_, { event, orders }) {
 *             await orders.patch(event.payload.order, { paid: true })
 *             return new Response(null, { status: 204 })
 *           },
 *         }),
 *       },
 *     },
 *   },
 * )
 */
export function route<R extends DeclaredResources, Event = NoEvent>(
  options: RouteOptions<R, Event>,
): Route<R> {
  return Object.freeze({ [routeBrand]: options })
}

/** Returns the options of a route, or undefined when the value is none. */
export function findRouteOptions(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Partial<Record<typeof routeBrand, unknown>>)[routeBrand]
}
