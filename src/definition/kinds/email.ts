/** E-mail addresses: a dot-atom (RFC 5322 §3.4.1) at a host name, in ASCII, stored in lower case. */

import { declareField, type ValueField, valueModifiers } from '../field.ts'
import type { Kind } from './kind.ts'
import { compareLowerCase, textTraits } from './text.ts'

/**
 * A field with an e-mail address, stored in lower case.
 * @example
 * const address = email().unique()
 */
export function email(): ValueField<string> {
  return declareField({ kind: emailKind, options: {} }, valueModifiers)
}

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const address = `^${atom}(?:\\.${atom})*@${label}(?:\\.${label})*$`
/** RFC 5321 §4.5.3.1: at most 64 octets before the @. A pattern of its own: look-ahead is not portable. */
const shortLocalPart = '^[^@]{1,64}@'

export const emailKind: Kind = {
  ...textTraits,
  name: 'email',
  mayBeKey: true,
  operators: 'text',
  family: 'email',
  compare: compareLowerCase,
  examples: () => ['ada@example.org'],
  input: {
    type: 'email',
    placeholder: 'ada@example.org',
    attributes: () => ({ autocomplete: 'email' }),
  },
  options: {},
  check: () => {},
  schema: () => ({
    type: 'string',
    format: 'email',
    maxLength: 254,
    pattern: address,
    allOf: [{ pattern: shortLocalPart }],
  }),
  encode: (value) => (value as string).toLowerCase(),
  requirement: () => 'Must be an e-mail address such as ada@example.org.',
}
