/** The methods of the file in a field (RFC 9110 §9): a write of it is a change of its item. */

import type { FieldModel, Model, ResourceModel } from './model.ts'

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

/** The names of the forms that upload and remove the file in a field. */
export function fileFormNames(field: string) {
  return { upload: `upload-${field}`, remove: `remove-${field}` }
}

/** Whether the definition has fields for files. */
export function hasFiles({ resources }: Pick<Model, 'resources'>): boolean {
  return resources.values().some(({ fields }) => fields.some(({ file }) => file !== undefined))
}
