/** Freezes a value deeply, including cycles and the values of maps and sets. */

/** Freezes the value and everything it refers to, and returns it. */
export function deepFreeze<T>(value: T): T {
  // A WeakSet would be many times slower.
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
