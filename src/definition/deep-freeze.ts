/** Freezing all the way down, through circles; the values of maps included. */

export function deepFreeze<T>(value: T): T {
  // A Set and not a WeakSet, which takes many times as long with so many members.
  freezeAll(value, new Set())
  return value
}

function freezeAll(value: unknown, seen: Set<unknown>): void {
  if (typeof value === 'function') Object.freeze(value)
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  Object.freeze(value)
  if (value instanceof Map || value instanceof Set) {
    for (const member of value.values()) freezeAll(member, seen)
  }
  for (const member of Object.values(value)) freezeAll(member, seen)
}
