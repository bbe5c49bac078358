/** Links of other sites to HTML pages. Browsers do not send the session cookie with them, because it is Strict. */

import { html } from '../../formats/html.ts'
import { findFormat } from '../../requests/decisions/negotiate-format.ts'
import type { AdmittedRequest } from '../../requests/handle-request.ts'
import { varyOf } from '../../requests/respond/cacheability.ts'
import { EarlyResponse } from '../../requests/respond/early-response.ts'
import { redirectPage } from '../redirect-page.ts'

/**
 * Ends a top-level GET for HTML from another site or origin with a page that requests the same URI, now with the session
 * cookie. The page does not depend on what is stored.
 */
export function redirectCrossSiteNavigation({
  service,
  caller,
  target,
  method,
  request,
}: AdmittedRequest): void {
  const { model } = service
  const { fields } = request
  if (!model.accounts || caller.kind !== 'anonymous' || (method !== 'GET' && method !== 'HEAD')) return
  const site = fields['sec-fetch-site']
  const isForeign = site === 'cross-site' || site === 'same-site'
  const isTopLevel = fields['sec-fetch-mode'] === 'navigate' && fields['sec-fetch-dest'] === 'document'
  if (!isForeign || !isTopLevel || findFormat(target, method, fields.accept) !== html) return
  const uri = target.query === undefined ? target.path : `${target.path}?${target.query}`
  throw new EarlyResponse(redirectPage(uri, model.title, { Vary: varyOf(target) }))
}
