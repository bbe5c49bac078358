/** An object, such as a store, with some of its members replaced. */
export function withCalls<Target extends object>(target: Target, calls: Partial<Target>): Target {
  return new Proxy(target, {
    get: (target, name) => {
      const own: unknown = Reflect.get(calls, name)
      if (own !== undefined) return own
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
