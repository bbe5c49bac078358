/**
 * The cookie of a notice. The redirect after a form sets it, and the next HTML page shows the notice
 * and deletes the cookie, so that the service stores no session.
 */

import { formActionName, parseFormPairs } from '../../formats/form-reader.ts'
import { findCookie, formatSetCookie } from '../../http/cookie.ts'
import type { HttpRequest, ResponseFields } from '../../http/message.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import type { Plan } from '../../requests/perform-method.ts'
import { isForm } from './form-key.ts'
import { isImport } from './import-form.ts'
import { actionNames, formatNotice, type Notice, parseNotice } from './notice-view.ts'

const cookieName = 'restwell-notice'

/** In seconds. The next page follows the redirect at once. */
const lifetime = 20

/** The field that sets the cookie. */
export function noticeFields(
  { origin }: Pick<RequestContext, 'origin'>,
  notice: Notice,
): { 'Set-Cookie': string } {
  return { 'Set-Cookie': formatCookie(origin, formatNotice(notice), lifetime) }
}

function formatCookie(origin: string, value: string, maxAge: number): string {
  return formatSetCookie({ name: cookieName, value, maxAge, secure: origin.startsWith('https:') })
}

/** The notice of a form that succeeded. The content of a transition names it. */
export async function noticeAfter({ context, request, content }: Plan): Promise<Notice> {
  const { target, method } = context
  if (target.kind === 'action') return { kind: 'done', action: target.action.name }
  if (target.kind === 'file') return { kind: 'saved' }
  if (method === 'DELETE') return { kind: 'deleted' }
  if (isImport(content) && 'resource' in target) {
    // The rows that were created; the caller may not see all of them.
    const items = await content.read()
    return {
      kind: 'imported',
      collection: target.resource.name,
      count: Array.isArray(items) ? items.length : 0,
    }
  }
  if (method === 'POST') return { kind: 'created' }
  const named = content && isForm(request) ? new Map(parseFormPairs(await content.octets())) : undefined
  const action = named?.get(formActionName)
  const isKnown = action !== undefined && 'resource' in target && actionNames(target.resource).has(action)
  return isKnown ? { kind: 'done', action } : { kind: 'saved' }
}

/** The notice that the page of this request shows; undefined where there is none. */
export function findNotice(
  { target, method }: Pick<RequestContext, 'target' | 'method'>,
  { fields }: HttpRequest,
): Notice | undefined {
  if (method !== 'GET') return undefined
  const text = findCookie(fields.cookie, cookieName)
  const resource = 'resource' in target ? target.resource : undefined
  return text === undefined ? undefined : parseNotice(text, resource)
}

/** The fields of a page that shows a notice: it is shown once, so the page is not stored. */
export function shownNoticeFields({ origin }: Pick<RequestContext, 'origin'>): ResponseFields {
  return { 'Set-Cookie': formatCookie(origin, '', 0), 'Cache-Control': 'no-store' }
}
