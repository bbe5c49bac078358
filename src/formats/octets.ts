/** The format of files that code of the definition makes. The operation declares their media types. */

import type { Format } from './format.ts'

export const octets: Format = Object.freeze({
  name: 'octets',
  mediaType: 'application/octet-stream',
  viewKinds: new Set(['file'] as const),
})
