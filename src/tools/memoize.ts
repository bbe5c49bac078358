/** Memoized functions: by object, by text, for the last text, and per second. */

/** Memoizes a function of an object for as long as the object lives. */
export function memoizeByObject<Key extends object, Value>(
  compute: (key: Key) => Value,
): (key: Key) => Value {
  const results = new WeakMap<Key, Value>()
  return (key) => {
    const known = results.get(key)
    if (known !== undefined) return known
    const value = compute(key)
    results.set(key, value)
    return value
  }
}

const maxTexts = 1000
const maxTextLength = 500

/**
 * Memoizes a function of a text from clients, such as a header field value. The cache is cleared when
 * it is full, so its memory is bounded.
 */
export function memoizeByText<Value>(compute: (text: string) => Value): (text: string) => Value {
  const results = new Map<string, Value>()
  return (text) => {
    const known = results.get(text)
    if (known !== undefined) return known
    const value = compute(text)
    if (text.length > maxTextLength) return value
    if (results.size >= maxTexts) results.clear()
    results.set(text, value)
    return value
  }
}

/** Memoizes the last result only, for texts that one request uses several times, such as its query. */
export function memoizeLast<Value>(compute: (text: string) => Value): (text: string) => Value {
  let last: { readonly text: string; readonly value: Value } | undefined
  return (text) => {
    if (last === undefined || last.text !== text) last = { text, value: compute(text) }
    return last.value
  }
}

/** Memoizes a function of the present second; `now` is in milliseconds since 1970. */
export function memoizePerSecond<Value>(compute: (second: number) => Value): (now: number) => Value {
  let known: { readonly second: number; readonly value: Value } | undefined
  return (now) => {
    const second = Math.floor(now / 1000)
    if (known?.second !== second) known = { second, value: compute(second) }
    return known.value
  }
}
