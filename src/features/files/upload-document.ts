/** /uploads/{id}: an upload that can be resumed. The handler of files performs its methods. */

import type { Document } from '../../requests/context/target.ts'

export const upload: Document = {
  route: '/uploads/{id}',
  personal: true,
  cache: 'no-store',
  operations: 'upload',
}
