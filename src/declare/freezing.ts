/** Freezing all the way down, through circles; the values of maps included. */

export function deepFreeze<T>(value: T): T {
  freezeAll(value, new WeakSet())
  return value
}

function freezeAll(value: unknown, seen: WeakSet<object>): void {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return
  if (seen.has(value)) return
  seen.add(value)
  Object.freeze(value)
  if (value instanceof Map || value instanceof Set) {
    for (const member of value.values()) freezeAll(member, seen)
  }
  for (const key of Reflect.ownKeys(value)) freezeAll(Reflect.get(value, key), seen)
}
