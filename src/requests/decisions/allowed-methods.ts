/** The methods of a target (RFC 9110 §9): 501, 405 with Allow, and the response to OPTIONS. */

import { findFileModel } from '../../definition/file-fields.ts'
import type { HttpRequest, HttpResponse, ResponseFields } from '../../http/message.ts'
import { knownMethods, type Method } from '../../http/method.ts'
import { preflightFields } from '../../http/origin.ts'
import { formatUploadLimit, maxUploadAge } from '../../http/upload-fields.ts'
import { refuse } from '../../refusal.ts'
import { methodsOf } from '../context/operation-of.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { Target } from '../context/target.ts'
import { varyOf } from '../respond/cacheability.ts'
import { acceptFields } from './content.ts'

/** Refuses 501. */
export function requireKnownMethod({ method }: HttpRequest): void {
  if (knownMethods.has(method)) return
  throw refuse('not-implemented', { detail: 'Method names are case-sensitive.' })
}

/** Returns the method of the request; refuses 405 with Allow when the target does not offer it. */
export function requireAllowedMethod(target: Target, request: HttpRequest): Method {
  if (methodsOf(target).has(request.method)) return request.method as Method
  throw refuse('method-not-allowed', {
    detail: `This URI does not offer ${request.method}. Use one of: ${formatAllow(target)}.`,
    fields: { Allow: formatAllow(target) },
  })
}

/** OPTIONS (RFC 9110 §9.3.7): the methods and request formats of the target, the same for every caller. */
export function respondToOptions(
  { model }: ServiceContext,
  target: Target,
  request: HttpRequest,
): HttpResponse {
  const Allow = formatAllow(target)
  return {
    status: 204,
    fields: {
      Allow,
      'Cache-Control': 'no-cache',
      Vary: varyOf(target),
      ...preflightFields(model.origins, request.fields, Allow),
      ...acceptFields(model, target),
      ...uploadFields(target),
    },
  }
}

/** The largest file that may be sent to the target. */
function uploadFields(target: Target): ResponseFields {
  const methods = methodsOf(target)
  if (target.kind !== 'file' || !(methods.has('PUT') || methods.has('POST'))) return {}
  return { 'Upload-Limit': formatUploadLimit(findFileModel(target.field)?.max ?? 0, maxUploadAge) }
}

/** The value of Allow (RFC 9110 §10.2.1). */
export function formatAllow(target: Target): string {
  return [...methodsOf(target)].join(', ')
}
