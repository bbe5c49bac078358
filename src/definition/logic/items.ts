/** `result: items('orders')`: items of a collection as the result of a query, as the caller may see them. */

/** By `Symbol.for`, so that declarations of another copy of this package are recognised. */
export const itemsBrand: unique symbol = Symbol.for('restwell.items')

/** Items as `items` returns them. */
export interface ItemsOf<Name extends string = string> {
  readonly [itemsBrand]: Name
}

/**
 * Declares that a query returns items of the collection: rows, or their ids, in order. The response has those that the
 * caller may read, with the fields that the caller may see.
 * @example
 * const tasks = resource({ title: text(), day: date() }, { access: { read: anyone } })
 * export default service(
 *   { title: 'Tasks', resources: { tasks } },
 *   {
 *     tasks: {
 *       queries: {
 *         today: query({
 *           on: 'collection',
 *           by: anyone,
 *           result: items('tasks'),
 *           run: (_, { tasks, now }) => tasks.list({ day: now.slice(0, 10), limit: 200 }),
 *         }),
 *       },
 *     },
 *   },
 * )
 */
export function items<const Name extends string>(collection: Name): ItemsOf<Name> {
  return Object.freeze({ [itemsBrand]: collection })
}

/** Returns the name of the collection, which is unchecked, or undefined where the value is no declaration of items. */
export function findItemsName(value: unknown): { readonly name: unknown } | undefined {
  if (typeof value !== 'object' || value === null || !(itemsBrand in value)) return undefined
  return { name: value[itemsBrand] }
}
