/** Work that is done once: per object, per second, for each of the texts seen lately, or for the last. */

/** The same function, which works its answer out once for as long as the object lives. */
export function memoizeByObject<Key extends object, Value>(
  make: (key: Key) => Value,
): (key: Key) => Value {
  const made = new WeakMap<Key, Value>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(key)
    made.set(key, value)
    return value
  }
}

const maxTexts = 1000
const maxTextLength = 500

/**
 * The same function of a text that clients choose, such as a header field. Most send the same few;
 * whoever sends ever others makes all be forgotten, and never takes more memory than there is for it.
 */
export function memoizeByText<Value>(make: (text: string) => Value): (text: string) => Value {
  const made = new Map<string, Value>()
  return (text) => {
    const known = made.get(text)
    if (known !== undefined) return known
    const value = make(text)
    if (text.length > maxTextLength) return value
    if (made.size >= maxTexts) made.clear()
    made.set(text, value)
    return value
  }
}

/**
 * The same function of a text that one request asks about several times and hardly another does,
 * such as its query: to keep more of them would cost more than it saves.
 */
export function memoizeLast<Value>(make: (text: string) => Value): (text: string) => Value {
  let last: { readonly text: string; readonly value: Value } | undefined
  return (text) => {
    if (last === undefined || last.text !== text) last = { text, value: make(text) }
    return last.value
  }
}

/** The same function of a second since 1970, worked out once for all moments within it. */
export function memoizePerSecond<Value>(make: (second: number) => Value): (now: number) => Value {
  let known: { readonly second: number; readonly value: Value } | undefined
  return (now) => {
    const second = Math.floor(now / 1000)
    if (known?.second !== second) known = { second, value: make(second) }
    return known.value
  }
}
