/** GET, HEAD and QUERY of a query whose result is a file: all of it, or a part (RFC 9110 §14). */

import { formatContentRange } from '../../http/range.ts'
import { madeTypeOf } from '../../http/served-type.ts'
import type { CoreRequest } from '../context/core-request.ts'
import type { RequestContext } from '../context/request-context.ts'
import { fileContentFields, requestedRange } from '../respond/file-content.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import type { MadeFile } from './current-state.ts'
import { tagField } from './validators.ts'

export function readMadeFile(context: RequestContext, current: MadeFile, request: CoreRequest): ViewResponse {
  const { method, service } = context
  const { view } = current
  const { octets, type } = view
  const fields = {
    ...fileContentFields({ ...view, served: madeTypeOf(type), hasRanges: true }),
    ...tagField(context, current),
  }
  const file = { ...view, size: octets.length, strongDate: undefined }
  const range = method === 'GET' ? requestedRange(request, file, service.clock.now()) : 'whole'
  if (range === 'whole') return { status: 200, view, links: [], fields }
  return {
    status: 206,
    view,
    text: octets.subarray(range.first, range.last + 1),
    links: [],
    fields: { ...fields, 'Content-Range': formatContentRange(range, octets.length) },
  }
}
