/** A form with files (RFC 7578) that creates or changes an item. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import { findFileModel, isFileList } from '../../definition/file-fields.ts'
import type { FieldModel, ResourceModel } from '../../definition/model.ts'
import { describeStoredFile } from '../../definition/stored-file.ts'
import { parseFormField, parseFormMembers } from '../../formats/form-reader.ts'
import { formatQueryString, type QueryPair } from '../../http/query-string.ts'
import { invalidContent } from '../../refusal.ts'
import type { SentItemForm } from '../../requests/context/file-handler.ts'
import type { RequestContent } from '../../requests/context/request-content.ts'
import { createUploadedMember } from '../../requests/context/uploaded-member.ts'
import { quotaLimit } from './quota-limit.ts'
import {
  type FileForm,
  type ReceivedForm,
  receiveForm,
  refuseTooLongForm,
  requireBoundary,
} from './receive-form.ts'
import { requestDigests, requireUncoded, requireWholeForm } from './upload-checks.ts'
import type { UploadService } from './uploads/resumable-upload.ts'

/** The content; refuses 400, 413 and 415 by the header fields. */
export function acceptForm(service: UploadService, sent: SentItemForm): RequestContent {
  const { caller, resource, request, type, method, maxValues } = sent
  const { fields } = request
  requireUncoded(fields)
  requireWholeForm(fields)
  const form: FileForm = {
    files: service.files,
    request,
    fields: resource.fields.filter((field) => findFileModel(field) && mayWrite(caller, resource, field)),
    boundary: requireBoundary(type),
    digests: requestDigests(fields),
    maxValues,
  }
  refuseTooLongForm(form)
  const expected = fields['if-match']
  let received: Promise<ReceivedForm> | undefined
  const receive = () => {
    // The octets that a change of an item frees are known at the commit.
    const freed = method === 'POST' ? 0 : Number.POSITIVE_INFINITY
    received ??= quotaLimit(service, caller, freed).then((limit) => receiveForm(form, limit))
    return received
  }
  let value: Promise<unknown> | undefined
  return {
    patch: 'fields',
    expectsVersion: expected !== undefined && expected.trim() !== '*',
    // A form that cannot be read is refused by `read`.
    octets: () => receive().then(describeForm, () => new Uint8Array(0)),
    read() {
      value ??= receive().then(({ pairs, files: uploads, faults }) => {
        if (faults.length > 0) throw invalidContent(faults)
        const members = parseFormMembers(pairs, { resource, patch: method === 'PATCH' })
        return { ...members, ...uploadedMembers(resource, pairs, uploads) }
      })
      return value
    },
  }
}

/** Whether the caller may write the field of some item: other files are not received. */
function mayWrite(caller: Principal, resource: ResourceModel, field: FieldModel): boolean {
  const condition = rightsOf(resource, caller).writability.get(field)
  return condition !== undefined && condition.kind !== 'never'
}

/** The form as application/x-www-form-urlencoded, with a description in place of each file. */
function describeForm({ pairs, files }: ReceivedForm): Uint8Array {
  const described = [...files].flatMap(([name, uploads]) =>
    uploads.map((file): QueryPair => [name, JSON.stringify(describeStoredFile(file))]),
  )
  return Buffer.from(formatQueryString([...pairs, ...described]))
}

/** The members for which the form has files. A list has the files that its values name, then the new ones. */
function uploadedMembers(
  { fieldByName }: ResourceModel,
  pairs: readonly QueryPair[],
  files: ReceivedForm['files'],
) {
  const members = [...files].map(([name, uploads]) => {
    const uploaded = uploads.map(createUploadedMember)
    const field = fieldByName.get(name)
    if (!field || !isFileList(field)) return [name, uploaded[0]]
    const named = parseFormField(field, pairs)
    return [name, [...(Array.isArray(named) ? named : []), ...uploaded]]
  })
  return Object.fromEntries(members)
}
