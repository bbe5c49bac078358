/** The form that imports a file of items into a collection. */

import { findFileModel } from '../../definition/file-fields.ts'
import type { Model, ResourceModel } from '../../definition/model.ts'
import { formDataType } from '../../http/multipart.ts'
import type { Action } from '../../views/hypermedia-controls.ts'
import { formUri } from '../../views/uri.ts'
import type { DocumentView } from '../../views/view.ts'

/** The parameter of /forms/{collection} for the page and the form; no field has such a name. */
export const importParameter = '_import'

/** The name of the input with the file. */
export const importFileName = 'file'

/** The URI of the page, to which its form is sent too. */
export function importUri(model: Model, { name }: ResourceModel): string {
  return `${formUri(model, [name])}?${importParameter}=file`
}

/** Whether a form that imports a file is sent to this target. */
export function isImportUri(target: string): boolean {
  const [path = '', query = ''] = target.split('?')
  return path.includes('/forms/') && new URLSearchParams(query).has(importParameter)
}

/** Whether the caller may import items: by the action that creates one. An item that needs a file cannot be a row. */
export function mayImport({ bulk }: ResourceModel, creation: Action | undefined): creation is Action {
  return bulk && creation?.createsItem === true && creation.contentType !== formDataType
}

/** The columns that a file may have: the values that the caller may set. A row cannot have the content of a file. */
export function writableColumns({ inputs }: Action): readonly ImportColumn[] {
  return inputs
    .filter(({ field, fixed }) => !fixed && !findFileModel(field))
    .map(({ field: { name }, required }) => ({ name, required }))
}

/** The columns that the page with the form has as its entries. */
export function columnsOf({ entries = [] }: DocumentView): readonly ImportColumn[] {
  return entries.map(({ name, required }) => ({ name: String(name), required: required === true }))
}

/** A type and not an interface, so that it is JSON. */
export type ImportColumn = { readonly name: string; readonly required: boolean }

/** A file whose rows become items. */
export interface ImportedFile {
  readonly name: string
  /** Undefined where it is neither CSV nor NDJSON. */
  readonly mediaType: string | undefined
  readonly octets: Uint8Array
}

/** A fault of a file, at its place. */
export interface ImportFault {
  /** Undefined where the fault is not in one row. */
  readonly line: number | undefined
  /** The number of the column in a CSV file; undefined where the file has no such column. */
  readonly column: number | undefined
  /** The member with the fault, such as `price`; undefined: the whole row. */
  readonly member: string | undefined
  readonly detail: string
}
