/**
 * Scans XML text before it is parsed: refuses document types, and limits the constructs that make
 * the parser slow. Text that is not XML may pass; the parser refuses it.
 */

const limits = {
  depth: 32,
  elements: 20_000,
  /** Comments, processing instructions and CDATA sections. */
  sections: 10_000,
  /** Character and entity references, which the parser handles one by one. */
  references: 50_000,
  /** Characters of one tag, attributes included. */
  tag: 4096,
} as const

/** The first fault, or undefined. */
export function scanXml(text: string): string | undefined {
  let depth = 0
  let elements = 0
  let sections = 0
  let references = 0
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (code === AMPERSAND) {
      references += 1
      if (references > limits.references)
        return `There are more than ${limits.references} references; use CDATA`
    }
    if (code !== LESS_THAN) {
      at += 1
      continue
    }
    const end = endOfMarkup(text, at)
    if (end === undefined) return 'A document type declaration is not allowed'
    if (isTag(text, at)) {
      if (end - at > limits.tag) return `A tag is longer than ${limits.tag} characters`
      if (text[at + 1] === '/') depth -= 1
      else {
        elements += 1
        if (elements > limits.elements) return `There are more than ${limits.elements} elements`
        if (text[end - 2] !== '/') depth += 1
        if (depth > limits.depth) return `Nested deeper than ${limits.depth}`
      }
    } else {
      sections += 1
      if (sections > limits.sections)
        return `There are more than ${limits.sections} comments, instructions and CDATA sections`
    }
    at = end
  }
  return undefined
}

/** The position after the markup at `at`; undefined for a declaration such as DOCTYPE. */
function endOfMarkup(text: string, at: number): number | undefined {
  if (text.startsWith('<!--', at)) return after(text, '-->', at + 4)
  if (text.startsWith('<![CDATA[', at)) return after(text, ']]>', at + 9)
  if (text.startsWith('<?', at)) return after(text, '?>', at + 2)
  if (text.startsWith('<!', at)) return undefined
  return endOfTag(text, at + 1)
}

function isTag(text: string, at: number): boolean {
  const next = text[at + 1]
  return next !== '!' && next !== '?'
}

function after(text: string, delimiter: string, from: number): number {
  const found = text.indexOf(delimiter, from)
  return found < 0 ? text.length : found + delimiter.length
}

/** A `>` in an attribute value does not end the tag. */
function endOfTag(text: string, from: number): number {
  let quote = 0
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (quote !== 0) {
      if (code === quote) quote = 0
    } else if (code === GREATER_THAN) return at + 1
    else if (code === QUOTE || code === APOSTROPHE) quote = code
  }
  return text.length
}

const QUOTE = 34
const AMPERSAND = 38
const APOSTROPHE = 39
const LESS_THAN = 60
const GREATER_THAN = 62
