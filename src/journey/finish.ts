/** The last step: an answer becomes a response, with the header fields it owes. */

import { challenges } from '../access/authenticate.ts'
import { formatLinks } from '../http/link.ts'
import type { HttpResponse, ResponseFields } from '../http/message.ts'
import { problemTypes, type Refusal } from '../refusal.ts'
import { problem } from '../representations/problem.ts'
import { problemUri } from '../view/uri.ts'
import type { ProblemView } from '../view/view.ts'
import type { Answer } from './answer.ts'
import { cacheControlOf, cacheControlOfError, varyOf } from './cacheability.ts'
import type { Context } from './context.ts'
import type { Errand } from './errand.ts'
import type { Target } from './target.ts'

export function finish({ target, who, format }: Errand, answer: Answer): HttpResponse {
  const { status, view, links } = answer
  const fields: ResponseFields = { ...answer.fields }
  if (view) fields['Content-Type'] = format.mediaType
  if (links.length > 0) fields.Link = formatLinks(links)
  fields['Cache-Control'] = cacheControlOf(target, who)
  fields.Vary = varyOf(target)
  fields['Accept-Ranges'] = 'none'
  return view ? { status, fields, body: format.write(view) } : { status, fields }
}

/** A refusal as a problem (RFC 9457). */
export function finishRefusal(
  { model, schemes }: Pick<Context, 'model' | 'schemes'>,
  refusal: Refusal,
  { id, target }: { readonly id: string; readonly target: Target | undefined },
): HttpResponse {
  const { status, type } = refusal
  const { title, cause } = problemTypes[type]
  const { detail = cause, errors, members = {} } = refusal.options
  const view: ProblemView = {
    kind: 'problem',
    type: problemUri(model, type),
    title,
    status,
    detail,
    instance: `urn:uuid:${id}`,
    errors,
    members,
  }
  const challenge = status === 401 ? { 'WWW-Authenticate': challenges(schemes, model.title) } : {}
  const fields = {
    'Content-Type': problem.mediaType,
    'Cache-Control': cacheControlOfError(status, target),
    Vary: varyOf(target),
    ...challenge,
    ...refusal.options.fields,
  }
  return { status, fields, body: problem.write(view) }
}
