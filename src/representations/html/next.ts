/** Where signing in leads back to: the page on which it was asked for. */

import { parseQueryString } from '../../http/query-string.ts'
import type { Frame } from '../../view/frame.ts'
import { homeUri, signInUri } from '../../view/uri.ts'

/** The query of /sign-in that names this page as the one to come back to. */
export function nextQuery({ model, uri }: Frame): string {
  const [path, query = ''] = uri.split('?')
  const asked = path === signInUri(model) ? new Map(parseQueryString(query)).get('next') : uri
  if (asked === undefined || asked === '' || asked === homeUri(model)) return ''
  return `?next=${encodeURIComponent(asked)}`
}
