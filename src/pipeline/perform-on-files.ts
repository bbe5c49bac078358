/** Methods on files, whose code is loaded with the first request for one. */

import type { RequestContent } from '../context/request-content.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { FileTarget } from '../context/target.ts'
import type { HttpResponse } from '../http/message.ts'
import type { FoundItem } from '../read/current-state.ts'
import { redirectAfterFileForm, type UnwrappedRequest } from '../request/form-request.ts'

export async function performFileMethod(
  context: RequestContext<FileTarget>,
  current: FoundItem,
  { request, content }: { readonly request: UnwrappedRequest; readonly content: RequestContent | undefined },
): Promise<HttpResponse> {
  const files = await import('../file-requests/perform-file-method.ts')
  const redirect = request.viaForm ? () => redirectAfterFileForm(context, current) : undefined
  return files.performFileMethod(context, current, { request, content, redirect })
}
