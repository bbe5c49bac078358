/** Performs a method on a file. */

import type { RequestContent } from '../context/request-content.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { FileTarget } from '../context/target.ts'
import type { HttpRequest, HttpResponse } from '../http/message.ts'
import type { FoundItem } from '../read/current-state.ts'
import { finishResponse, type ViewResponse } from '../respond/finish-response.ts'
import { fileCacheControl, readFile } from './read-file.ts'
import { deleteFile, putFile } from './write-file.ts'

interface FileRequest {
  readonly request: HttpRequest
  readonly content: RequestContent | undefined
  /** The response to a form. */
  readonly redirect?: ((response: ViewResponse) => HttpResponse) | undefined
}

export async function performFileMethod(
  context: RequestContext<FileTarget>,
  current: FoundItem,
  { request, content, redirect }: FileRequest,
): Promise<HttpResponse> {
  if (context.method === 'GET' || context.method === 'HEAD') return readFile(context, current, request)
  const response = content ? await putFile(context, current, content) : await deleteFile(context, current)
  if (redirect) return redirect(response)
  const fields = { ...response.fields, 'Cache-Control': fileCacheControl(context) }
  return finishResponse(context, { ...response, fields })
}
