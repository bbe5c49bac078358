/** Performs a method on a file, or on a list of files. */

import type { HttpRequest, HttpResponse } from '../../http/message.ts'
import type { RequestContent } from '../../requests/context/request-content.ts'
import { hasTarget, type RequestContext } from '../../requests/context/request-context.ts'
import type { FileTarget, StoredFileTarget } from '../../requests/context/target.ts'
import type { FoundItem } from '../../requests/read/current-state.ts'
import { finishResponse } from '../../requests/respond/finish-response.ts'
import { commitChange } from '../../requests/write/commit.ts'
import type { PlannedChange } from '../../requests/write/planned-change.ts'
import { readFile } from './read-file.ts'
import { addFiles, deleteFile, putFile } from './write-file.ts'

interface FileRequest {
  readonly request: HttpRequest
  readonly content: RequestContent | undefined
}

export async function performOnFile(
  context: RequestContext<FileTarget | StoredFileTarget>,
  current: FoundItem,
  { request, content }: FileRequest,
): Promise<HttpResponse> {
  const isRead = context.method === 'GET' || context.method === 'HEAD'
  if (isRead || !hasTarget(context, 'file')) return readFile(context, current, request)
  const response = await commitChange(context, await planChange(context, current, content))
  return finishResponse(context, response)
}

function planChange(
  context: RequestContext<FileTarget>,
  current: FoundItem,
  content: RequestContent | undefined,
): Promise<PlannedChange> {
  if (!content) return deleteFile(context, current)
  return context.method === 'POST' ? addFiles(context, current, content) : putFile(context, current, content)
}
