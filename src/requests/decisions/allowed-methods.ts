/** The methods of a target (RFC 9110 §9): 501, 405 with Allow, and the response to OPTIONS. */

import { findFileModel, isFileList } from '../../definition/file-fields.ts'
import { fileListMethods, fileMethods, listedFileMethods } from '../../definition/file-methods.ts'
import type { InverseRelation } from '../../definition/model.ts'
import type { HttpRequest, HttpResponse, ResponseFields } from '../../http/message.ts'
import { knownMethods } from '../../http/method.ts'
import { formDataType } from '../../http/multipart.ts'
import { preflightFields } from '../../http/origin.ts'
import { formatUploadLimit, maxUploadAge, partialUploadType } from '../../http/upload-fields.ts'
import { refuse } from '../../refusal.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import type { Method } from '../context/request-context.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { Document, FileTarget, Target } from '../context/target.ts'
import { varyOf } from '../respond/cacheability.ts'
import { acceptedTypesInAllVersions } from './content.ts'

/** Refuses 501. */
export function requireKnownMethod({ method }: HttpRequest): void {
  if (knownMethods.has(method)) return
  throw refuse('not-implemented', { detail: 'Method names are case-sensitive.' })
}

/** Returns the method of the request; refuses 405 with Allow when the target does not offer it. */
export function requireAllowedMethod(target: Target, request: HttpRequest): Method {
  if (methodsOf(target).has(request.method)) return request.method as Method
  throw refuse('method-not-allowed', {
    detail: `This URI does not offer ${request.method}. Use one of: ${formatAllow(target)}.`,
    fields: { Allow: formatAllow(target) },
  })
}

/** OPTIONS (RFC 9110 §9.3.7): the methods and request formats of the target, the same for every caller. */
export function respondToOptions(
  { model }: ServiceContext,
  target: Target,
  request: HttpRequest,
): HttpResponse {
  const Allow = formatAllow(target)
  const fields: ResponseFields = {
    Allow,
    'Cache-Control': 'no-cache',
    Vary: varyOf(target),
    ...preflightFields(model.origins, request.fields, Allow),
  }
  if (isPosted(target) && methodsOf(target).has('POST')) {
    fields['Accept-Post'] = acceptedTypesInAllVersions(model, 'POST', target).join(', ')
  }
  if (target.kind === 'collection' && target.resource.collectionMethods.has('QUERY')) {
    fields['Accept-Query'] = acceptedTypesInAllVersions(model, 'QUERY', target).join(', ')
  }
  if (target.kind === 'item' && methodsOf(target).has('PATCH')) {
    fields['Accept-Patch'] = acceptedTypesInAllVersions(model, 'PATCH', target).join(', ')
  }
  if (target.kind === 'document' && target.document.isUpload) fields['Accept-Patch'] = partialUploadType
  if (target.kind === 'file') Object.assign(fields, fileOptions(target))
  return { status: 204, fields }
}

/** The fields that say what may be sent to a file, or to a list of files. */
function fileOptions(target: FileTarget): ResponseFields {
  const { types, max } = findFileModel(target.field) ?? { types: [], max: 0 }
  const methods = methodsOf(target)
  return {
    ...(methods.has('POST') ? { 'Accept-Post': [...types, formDataType].join(', ') } : {}),
    ...(methods.has('PUT') || methods.has('POST')
      ? { 'Upload-Limit': formatUploadLimit(max, maxUploadAge) }
      : {}),
  }
}

/** Whether a POST has content in the formats of the service. A document that responds by itself has its own. */
function isPosted(target: Target): boolean {
  if (target.kind === 'document') return target.document.respond === undefined
  return target.kind === 'collection' || target.kind === 'action'
}

function methodsOf(target: Target): ReadonlySet<string> {
  switch (target.kind) {
    case 'asterisk':
      return serverMethods
    case 'document':
      return methodsOfDocument(target.document)
    case 'collection':
      return target.parent ? methodsWithin(target.parent.relation) : target.resource.collectionMethods
    case 'item':
      return target.operation === undefined ? target.resource.itemMethods : operationMethods
    case 'element':
      return elementMethods
    case 'action':
      return operationMethods
    case 'file':
      return methodsOfFile(target)
  }
}

function methodsOfFile({ resource, field, fileId }: FileTarget): ReadonlySet<string> {
  if (!isFileList(field)) return fileMethods(resource, field)
  return fileId === undefined ? fileListMethods(resource) : listedFileMethods(resource, field)
}

const operationMethods: ReadonlySet<string> = new Set(['POST', 'OPTIONS'])

/** No request can set a read-only reference, so a sub-collection of it has no POST. */
const methodsWithin = memoizeByObject(({ target, field }: InverseRelation): ReadonlySet<string> => {
  const { collectionMethods } = target
  return field.readOnly ? collectionMethods.difference(new Set(['POST'])) : collectionMethods
})

const elementMethods: ReadonlySet<string> = new Set(['PUT', 'DELETE', 'OPTIONS'])

const methodsOfDocument = memoizeByObject(({ methods, isUpload }: Document): ReadonlySet<string> => {
  if (isUpload) return uploadMethods
  return methods ? new Set([...documentMethods, ...methods]) : documentMethods
})

const uploadMethods: ReadonlySet<string> = new Set(['HEAD', 'PATCH', 'DELETE', 'OPTIONS'])

const documentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** §9.3.7: `OPTIONS *` applies to the server in general. */
const serverMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'QUERY',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])

/** The value of Allow (RFC 9110 §10.2.1). */
export function formatAllow(target: Target): string {
  return [...methodsOf(target)].join(', ')
}
