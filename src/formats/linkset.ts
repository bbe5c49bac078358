/** application/linkset+json (RFC 9264 §4.2), with the profile of API catalogs (RFC 9727 §4). */

import type { View } from '../views/view.ts'
import type { Format } from './format.ts'

export const linkset: Format = {
  name: 'linkset',
  mediaType: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  // Offered only for documents that are linksets.
  viewKinds: new Set(['document']),
  write(view: View): string {
    if (view.kind !== 'document') throw new Error(`A linkset does not show ${view.kind}`)
    return JSON.stringify(view.data)
  },
}
