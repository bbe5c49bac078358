/** The actions on the files of an item that the caller may use now: upload, remove, and add to a list. */

import { fileCountLimits, findFileModel, isFileList } from '../definition/file-fields.ts'
import { fileFormNames, fileListMethods, fileMethods } from '../definition/file-methods.ts'
import type { FieldModel } from '../definition/model.ts'
import { parseStoredFiles } from '../definition/stored-file.ts'
import { formDataType } from '../http/multipart.ts'
import { fileUri } from './file-member.ts'
import { isVisible, isWritable } from './form-input.ts'
import type { Action, Input } from './hypermedia-controls.ts'
import type { ActionContext } from './item-actions.ts'

/**
 * For each file that the caller sees and may write: PUT, and DELETE where there is one. For each list that has room:
 * POST. A write of the item removes files from it.
 */
export function findFileActions(context: ActionContext): readonly Action[] {
  const { resource, rights, isTrue, row } = context
  if (!isTrue(rights.update)) return []
  const fields = resource.fields.filter(
    (field) => findFileModel(field) && isVisible(context, field) && isWritable(context, field),
  )
  return fields.flatMap((field) => {
    if (isFileList(field)) return findListActions(context, field)
    const methods = fileMethods(resource, field)
    const target = fileUri(resource, field, row)
    const isPresent = row[field.index] !== null
    return [
      ...(methods.has('PUT') ? [uploadAction(field, target)] : []),
      ...(methods.has('DELETE') && isPresent ? [removalAction(field, target)] : []),
    ]
  })
}

function findListActions({ resource, row }: ActionContext, field: FieldModel): readonly Action[] {
  const isFull = parseStoredFiles(row[field.index]).length >= fileCountLimits(field).max
  if (isFull || !fileListMethods(resource).has('POST')) return []
  return [
    {
      name: fileFormNames(field.name).add,
      title: `Add to ${field.name}`,
      method: 'POST',
      target: fileUri(resource, field, row),
      contentType: formDataType,
      inputs: [fileInput(field)],
    },
  ]
}

function uploadAction(field: FieldModel, target: string): Action {
  return {
    name: fileFormNames(field.name).upload,
    title: `Upload ${field.name}`,
    method: 'PUT',
    target,
    contentType: formDataType,
    inputs: [fileInput(field)],
  }
}

function fileInput(field: FieldModel): Input {
  return { field, required: true, value: undefined, fixed: false, choices: undefined, choicesUri: undefined }
}

function removalAction(field: FieldModel, target: string): Action {
  const name = fileFormNames(field.name).remove
  return { name, title: `Remove ${field.name}`, method: 'DELETE', target, contentType: undefined, inputs: [] }
}
