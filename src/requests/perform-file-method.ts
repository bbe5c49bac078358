/** Methods on files and on uploads, which the feature for files performs. */

import type { Principal } from '../access/principal.ts'
import type { HttpRequest, HttpResponse } from '../http/message.ts'
import type { RequestContext } from './context/request-context.ts'
import type { ServiceContext } from './context/service-context.ts'
import type { DocumentTarget, FileTarget, StoredFileTarget } from './context/target.ts'
import type { FeatureCode, SentFileContent } from './feature-code.ts'
import type { FoundItem } from './read/current-state.ts'
import { varyOf } from './respond/cacheability.ts'

export async function performFileMethod(
  { file }: FeatureCode,
  context: RequestContext<FileTarget | StoredFileTarget>,
  current: FoundItem,
  sent: SentFileContent,
): Promise<HttpResponse> {
  if (!file) throw new Error('The service has no files')
  return file(context, current, sent)
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
  const response = await files.performUpload({ id, store, caller, request, complete })
  return { ...response, fields: { ...response.fields, Vary: varyOf(target) } }
}
