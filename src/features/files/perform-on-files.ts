/** Methods on files, whose code is loaded with the first request for one. */

import type { Principal } from '../../access/principal.ts'
import type { HttpRequest, HttpResponse } from '../../http/message.ts'
import type { RequestContent } from '../../requests/context/request-content.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import type { DocumentTarget, FileTarget, Target } from '../../requests/context/target.ts'
import type { FoundItem } from '../../requests/read/current-state.ts'
import { varyOf } from '../../requests/respond/cacheability.ts'

export async function performFileMethod(
  context: RequestContext<FileTarget>,
  current: FoundItem,
  sent: { readonly request: HttpRequest; readonly content: RequestContent | undefined },
): Promise<HttpResponse> {
  const files = await import('./perform-on-file.ts')
  return withVary(await files.performOnFile(context, current, sent), context.target)
}

interface UploadTarget {
  readonly service: ServiceContext
  readonly caller: Principal
  readonly target: DocumentTarget
  readonly request: HttpRequest
}

/** HEAD, PATCH and DELETE of an upload; `complete` performs the request that it was begun with. */
export async function performUpload(
  { service, caller, target, request }: UploadTarget,
  complete: (request: HttpRequest) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const { files, store } = service
  if (!files) throw new Error('The service has no files')
  const id = target.parameter ?? ''
  return withVary(await files.performUpload({ id, store, caller, request, complete }), target)
}

/** The response with the Vary of every response of its URI. */
function withVary(response: HttpResponse, target: Target): HttpResponse {
  return { ...response, fields: { ...response.fields, Vary: varyOf(target) } }
}
