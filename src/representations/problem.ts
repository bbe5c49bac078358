/** Every error in one shape (RFC 9457): application/problem+json, and the same in XML. */

import type { ProblemView, View } from '../view/view.ts'
import type { Representation } from './representation.ts'
import { writeElement, xmlDeclaration } from './xml-text.ts'

const errorsShown = 100

export const problem: Representation = {
  name: 'problem',
  mediaType: 'application/problem+json',
  shows: new Set(['problem']),
  write: (view) => JSON.stringify(membersOf(view)),
}

export const problemXml: Representation = {
  name: 'problem-xml',
  mediaType: 'application/problem+xml',
  shows: new Set(['problem']),
  write(view) {
    // RFC 9457 §B: the namespace kept its name; elements of an array are `i`.
    const members = Object.entries(membersOf(view)).map(([name, value]) =>
      writeElement(name, value, 'i'),
    )
    const root = `<problem xmlns="urn:ietf:rfc:7807">${members.join('')}</problem>`
    return `${xmlDeclaration}${root}\n`
  },
}

function membersOf(view: View): Readonly<Record<string, unknown>> {
  if (view.kind !== 'problem') throw new Error(`The problem formats do not show ${view.kind}`)
  const { type, title, status, detail, instance } = view
  return { type, title, status, detail, instance, ...errorsOf(view), ...view.members }
}

function errorsOf({ errors }: ProblemView) {
  if (!errors) return {}
  if (errors.length <= errorsShown) return { errors }
  return { errors: errors.slice(0, errorsShown), totalErrors: errors.length }
}
