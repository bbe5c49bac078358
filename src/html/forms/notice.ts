/**
 * The cookie of a notice. The redirect after a form sets it, and the next HTML page shows the notice
 * and deletes the cookie, so that the service stores no session.
 */

import { parseFormPairs } from '../../formats/form-reader.ts'
import { findCookie, formatSetCookie } from '../../http/cookie.ts'
import type { HttpRequest } from '../../http/message.ts'
import type { RequestContent } from '../../requests/context/request-content.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import type { ViewResponse } from '../../requests/respond/finish-response.ts'
import { formActionName } from './action-form.ts'
import { isForm } from './form-key.ts'
import { actionNames, formatNotice, type Notice, parseNotice } from './notice-view.ts'

const cookieName = 'restwell-notice'

/** In seconds. The next page follows the redirect at once. */
const lifetime = 20

type NoticeContext = Pick<RequestContext, 'target' | 'method' | 'origin'>

/** The field that sets the cookie. */
export function noticeFields(
  { origin }: Pick<NoticeContext, 'origin'>,
  notice: Notice,
): { 'Set-Cookie': string } {
  return { 'Set-Cookie': formatCookie(origin, formatNotice(notice), lifetime) }
}

function formatCookie(origin: string, value: string, maxAge: number): string {
  return formatSetCookie({ name: cookieName, value, maxAge, secure: origin.startsWith('https:') })
}

/** The request of a form, and its content. */
export interface FormContent {
  readonly request: HttpRequest & { readonly isImport?: boolean }
  readonly content: RequestContent | undefined
  /** Whether the form is an edit that was merged with another one. */
  readonly isMerged?: boolean
}

/** The notice of a form that succeeded. The content of a transition names it. */
export async function noticeAfter({ target, method }: NoticeContext, sent: FormContent): Promise<Notice> {
  if (target.kind === 'action') return { kind: 'done', action: target.action.name }
  if (method === 'DELETE') return { kind: 'deleted' }
  if (sent.request.isImport && sent.content && 'resource' in target) {
    // The rows that were created; the caller may not see all of them.
    const items = await sent.content.read()
    return {
      kind: 'imported',
      collection: target.resource.name,
      count: Array.isArray(items) ? items.length : 0,
    }
  }
  if (method === 'POST') return { kind: 'created' }
  if (sent.isMerged) return { kind: 'merged' }
  const action = 'resource' in target ? await findActionName(sent) : undefined
  const isKnown = action !== undefined && 'resource' in target && actionNames(target.resource).has(action)
  return isKnown ? { kind: 'done', action } : { kind: 'saved' }
}

async function findActionName({ request, content }: FormContent): Promise<string | undefined> {
  if (!content || !isForm(request)) return undefined
  return new Map(parseFormPairs(await content.octets())).get(formActionName)
}

/** The notice that the page of this request shows; undefined where there is none. */
export function findNotice(
  { target, format, method }: Pick<RequestContext, 'target' | 'format' | 'method'>,
  { fields }: HttpRequest,
): Notice | undefined {
  if (!format.isHtml || method !== 'GET') return undefined
  const text = findCookie(fields.cookie, cookieName)
  const resource = 'resource' in target ? target.resource : undefined
  return text === undefined ? undefined : parseNotice(text, resource)
}

/** The response that shows the notice of its request: it is shown once, so the page is not stored. */
export function withShownNotice({ origin, notice }: RequestContext, response: ViewResponse): ViewResponse {
  if (!notice) return response
  const shown = { 'Set-Cookie': formatCookie(origin, '', 0), 'Cache-Control': 'no-store' }
  return { ...response, fields: { ...response.fields, ...shown } }
}
