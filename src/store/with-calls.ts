/** A store with some of its calls replaced. */

import type { Store } from './store.ts'

export function withCalls(store: Store, calls: Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const own: unknown = Reflect.get(calls, name)
      if (own !== undefined) return own
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
