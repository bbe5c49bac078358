/** Problems (RFC 9457): application/problem+json and application/problem+xml. */

import type { ProblemView, View } from '../views/view.ts'
import type { WritingFormat } from './format.ts'
import { writeElement, xmlDeclaration } from './xml-text.ts'

const maxErrors = 100

export const problem: WritingFormat = {
  name: 'problem',
  mediaType: 'application/problem+json',
  viewKinds: new Set(['problem']),
  write: (view) => JSON.stringify(createMembers(view)),
}

export const problemXml: WritingFormat = {
  name: 'problem-xml',
  mediaType: 'application/problem+xml',
  viewKinds: new Set(['problem']),
  write(view) {
    // RFC 9457 appendix B: the namespace of RFC 7807; elements of an array are `i`.
    const members = Object.entries(createMembers(view)).map(([name, value]) => writeElement(name, value, 'i'))
    const root = `<problem xmlns="urn:ietf:rfc:7807">${members.join('')}</problem>`
    return `${xmlDeclaration}${root}\n`
  },
}

function createMembers(view: View): Readonly<Record<string, unknown>> {
  if (view.kind !== 'problem') throw new Error(`The problem formats do not show ${view.kind}`)
  const { type, title, status, detail, instance } = view
  return { type, title, status, detail, instance, ...createErrors(view), ...view.members }
}

function createErrors({ errors }: ProblemView) {
  if (!errors) return {}
  if (errors.length <= maxErrors) return { errors }
  return { errors: errors.slice(0, maxErrors), totalErrors: errors.length }
}
