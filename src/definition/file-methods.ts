/** The methods of files and of lists of them (RFC 9110 §9): a write is a change of the item. */

import type { FieldModel, ResourceModel } from './model.ts'

/** Includes HEAD and OPTIONS. A required file cannot be deleted; an item without PATCH and PUT keeps its files. */
export function fileMethods({ itemMethods }: ResourceModel, { required }: FieldModel): ReadonlySet<string> {
  const isChangeable = itemMethods.has('PATCH') || itemMethods.has('PUT')
  return new Set([
    ...(itemMethods.has('GET') ? ['GET', 'HEAD'] : []),
    ...(isChangeable ? ['PUT'] : []),
    ...(isChangeable && !required ? ['DELETE'] : []),
    'OPTIONS',
  ])
}

/** The methods of a list of files: POST adds one. The item shows what is in it. */
export function fileListMethods({ itemMethods }: ResourceModel): ReadonlySet<string> {
  const isChangeable = itemMethods.has('PATCH') || itemMethods.has('PUT')
  return new Set([...(isChangeable ? ['POST'] : []), 'OPTIONS'])
}

/** The methods of each file of a list. */
export function listedFileMethods(resource: ResourceModel, field: FieldModel): ReadonlySet<string> {
  return fileMethods(resource, { ...field, required: false })
}

/** The names of the forms that upload and remove the file in a field, and that add one to a list. */
export function fileFormNames(field: string) {
  return { upload: `upload-${field}`, remove: `remove-${field}`, add: `add-${field}` }
}
