/** Performs a method on a file, or on a list of files. */

import type { StoredFile } from '../../definition/stored-file.ts'
import type { Body, HttpRequest, HttpResponse, ResponseFields } from '../../http/message.ts'
import { formatContentRange, type OctetRange } from '../../http/range.ts'
import { servedTypeOf } from '../../http/served-type.ts'
import type { FileHandler } from '../../requests/context/file-handler.ts'
import type { RequestContent } from '../../requests/context/request-content.ts'
import { hasTarget, type RequestContext } from '../../requests/context/request-context.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import type { FileTarget, StoredFileTarget } from '../../requests/context/target.ts'
import type { FoundItem } from '../../requests/read/current-state.ts'
import { fileContentFields, fileFields, requestedRange } from '../../requests/respond/file-content.ts'
import { finishResponse } from '../../requests/respond/finish-response.ts'
import { commitChange } from '../../requests/write/commit.ts'
import type { PlannedChange } from '../../requests/write/planned-change.ts'
import { DamagedContent, type FileStore } from '../../store/file-store.ts'
import { fileTime } from '../../views/file-validators.ts'
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

export async function readFile(
  context: RequestContext<FileTarget | StoredFileTarget>,
  current: FoundItem,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { service, method } = context
  const { store } = requireFiles(service)
  const { file } = current
  if (!file) throw new Error('The file was not loaded')
  const size = await store.sizeOf(file.digest)
  if (size === undefined) throw new DamagedContent(file.digest, 'is missing')
  if (size !== file.size) {
    throw new DamagedContent(file.digest, `has ${size} octets instead of ${file.size}`)
  }
  const fields: ResponseFields = {
    ...fileContentFields({
      ...file,
      served: servedTypeOf(file.type),
      modified: fileTime(file),
      hasRanges: true,
    }),
    ...fileFields(context, current, file),
  }
  const strongDate = file.ambiguous ? undefined : fileTime(file)
  const range =
    method === 'GET' ? requestedRange(request, { ...file, strongDate }, service.clock.now()) : 'whole'
  const part = range === 'whole' ? { first: 0, last: file.size - 1 } : range
  fields['Content-Length'] = String(part.last - part.first + 1)
  if (range !== 'whole') fields['Content-Range'] = formatContentRange(range, file.size)
  const status = range === 'whole' ? 200 : 206
  if (method === 'HEAD') return { status, fields }
  return { status, fields, body: await bodyOf(store, file, part) }
}

function requireFiles({ files }: Pick<ServiceContext, 'files'>): FileHandler {
  if (files) return files
  throw new Error('The definition has no field for files')
}

/** Octets. Smaller parts are sent in one write. */
const maxWholeBody = 65_536

async function bodyOf(store: FileStore, { digest }: StoredFile, part: OctetRange): Promise<Body> {
  const octets = store.read(digest, part)
  if (part.last - part.first >= maxWholeBody) return octets
  return Buffer.concat(await Array.fromAsync(octets))
}
