/** text/html: the pages at the URIs of the data. `html/` loads what they show, and writes them. See decision 0111. */

import type { Format } from './format.ts'

/** The value of Content-Type. */
export const htmlType = 'text/html; charset=utf-8'

export const html: Format = {
  name: 'html',
  mediaType: 'text/html',
  contentType: htmlType,
  viewKinds: new Set(['item', 'collection', 'aggregate', 'document', 'problem']),
  hypermedia: 'actions',
  // The key of its forms differs in each response.
  hasValidators: false,
  isPersonal: true,
  isTranslated: true,
}
