/**
 * Messages: English sentences with numbered placeholders, such as `Used by {1}.`, and their
 * translations. A translation may have a form for each plural category of its language.
 */

/** A text, or a text for each plural category (CLDR) of the first number; `other` is required. */
export type Translation = string | PluralForms

export type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

/** Translations by the English message or label. */
export type Dictionary = Readonly<Record<string, Translation>>

/** Texts and the numbers of placeholders, beginning and ending with a text. */
export type MessageParts = readonly (string | number)[]

/** Splits `Used by {1}.` into `['Used by ', 1, '.']`. */
export function parseMessage(message: string): MessageParts {
  return message.split(/\{([1-9])\}/).map((part, at) => (at % 2 === 0 ? part : Number(part)))
}

/** Replaces the placeholders. */
export function fillMessage(parts: MessageParts, values: readonly string[]): string {
  let text = ''
  for (const part of parts) text += typeof part === 'number' ? (values[part - 1] ?? '') : part
  return text
}

/** The numbers of the placeholders, each once, in order. */
export function placeholdersIn(message: string): readonly number[] {
  const numbers = parseMessage(message).filter((part) => typeof part === 'number')
  return [...new Set(numbers)].toSorted((a, b) => a - b)
}

/**
 * Returns the values of the placeholders with which the message is this text; undefined when it is
 * another text. Each value ends where the next part of the message is found first, so the time is
 * linear in the length of the text.
 */
export function matchMessage(parts: MessageParts, text: string): readonly string[] | undefined {
  const [start = '', ...rest] = parts
  if (!text.startsWith(String(start))) return undefined
  const values: string[] = []
  let position = String(start).length
  for (let at = 0; at < rest.length; at += 2) {
    const next = String(rest[at + 1])
    const isLast = at + 2 === rest.length
    const end = isLast ? text.length - next.length : text.indexOf(next, position + 1)
    if (end <= position || !text.startsWith(next, end)) return undefined
    values[Number(rest[at]) - 1] = text.slice(position, end)
    position = end + next.length
  }
  return position === text.length ? values : undefined
}
