/** application/problem+json (RFC 9457): every error, in one shape. */

import type { ProblemView, View } from '../view/view.ts'
import type { Representation } from './representation.ts'

const errorsShown = 100

export const problem: Representation = {
  name: 'problem',
  mediaType: 'application/problem+json',
  shows: new Set(['problem']),
  write: writeProblem,
}

function writeProblem(view: View): string {
  if (view.kind !== 'problem') throw new Error(`The problem format does not show ${view.kind}`)
  const { type, title, status, detail, instance } = view
  return JSON.stringify({
    type,
    title,
    status,
    detail,
    instance,
    ...errorsOf(view),
    ...view.members,
  })
}

function errorsOf({ errors }: ProblemView) {
  if (!errors) return {}
  if (errors.length <= errorsShown) return { errors }
  return { errors: errors.slice(0, errorsShown), totalErrors: errors.length }
}
