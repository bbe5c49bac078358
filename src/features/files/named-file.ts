/** Finds the files that members such as `{ "href": "/tasks/1/cover" }` name: a copy needs the right to read it. */

import { rightsOf } from '../../access/rights.ts'
import { findFileModel, isFileList } from '../../definition/file-fields.ts'
import {
  type FieldModel,
  IDENTITY,
  type JsonValue,
  type Model,
  type ResourceModel,
} from '../../definition/model.ts'
import { formatOctetSize } from '../../definition/octet-size.ts'
import {
  describeStoredFile,
  formatStoredFiles,
  type ListedFile,
  type StoredFile,
} from '../../definition/stored-file.ts'
import { parseTarget } from '../../http/request-target.ts'
import type { ContentFault } from '../../refusal.ts'
import type { NamedFileLookup, NamedFiles, StoredFilePlace } from '../../requests/context/file-handler.ts'
import type { AcceptedFile } from '../../requests/context/request-content.ts'
import { findUploadedFile } from '../../requests/context/uploaded-member.ts'
import { findStoredKey, withoutBase } from '../../requests/decisions/resolve-target.ts'
import { findTargetFile } from '../../requests/read/file-in-row.ts'
import { findById } from '../../requests/read/find-item.ts'
import type { FileStore } from '../../store/file-store.ts'
import type { Row } from '../../store/row.ts'
import { createRowChecks } from '../../views/row-checks.ts'
import { type FoundFile, findStoredFile, type HistorySource } from './find-stored-file.ts'
import { addedFile, nextColumn, restoredFile, type Storing } from './next-file.ts'
import { isAllowedType } from './upload-checks.ts'

/** The file that `href` names: the field of an item, and of a list the id of the file. */
interface FilePlace {
  readonly resource: ResourceModel
  readonly id: string
  readonly field: FieldModel
  readonly fileId: string | undefined
}

/** A file that an item has or had, by its permanent URI. */
type StoredPlace = Pick<StoredFilePlace, 'resource' | 'id' | 'key'>

export interface NamedFileContext {
  readonly model: Model
  readonly files: FileStore
  readonly history: HistorySource
  readonly now: number
}

/** The value of the column with the files that the value names: one, or an array of them. */
export async function encodeNamedFiles(
  context: NamedFileContext,
  lookup: NamedFileLookup,
): Promise<NamedFiles> {
  const { field, value, row, caller } = lookup
  const search: Search = { context, lookup, loadRow: createRowLoader(lookup) }
  if (isFileList(field)) return findListedFiles(search)
  const named = await findNamedFile(search, value, `/${field.name}`)
  if ('fault' in named) return { faults: [named.fault] }
  if (named.kept) return { stored: String(row?.[field.index]) }
  return { stored: nextColumn(named.file, { row, field, storing: { caller, now: context.now } }) }
}

/** A file of the list that the array names stays with its id; every other one is added. */
async function findListedFiles(search: Search): Promise<NamedFiles> {
  const { field, value, row, caller } = search.lookup
  const storing: Storing = { caller, now: search.context.now }
  const files: ListedFile[] = []
  const faults: ContentFault[] = []
  // Other values are faults of the draft.
  for (const [at, member] of (Array.isArray(value) ? value : []).entries()) {
    const named = await findNamedFile(search, member, `/${field.name}/${at}`)
    if ('fault' in named) {
      faults.push(named.fault)
      continue
    }
    const { file, kept, ownId: id } = named
    if (id === undefined || !row || files.some((one) => one.id === id)) files.push(addedFile(file, storing))
    else files.push(kept ? { ...kept, id } : restoredFile({ ...file, id }, row, storing))
  }
  return faults.length > 0 ? { faults } : { stored: formatStoredFiles(files) }
}

interface Search {
  readonly context: NamedFileContext
  readonly lookup: NamedFileLookup
  /** The row with the file, if the caller may read it there. */
  loadRow(place: FilePlace): Promise<Row | undefined>
}

/** A file that a member names. */
type Named =
  | { readonly fault: ContentFault }
  | {
      readonly file: AcceptedFile
      /** The same file, where it is in the field that the content sets. */
      readonly kept: StoredFile | undefined
      /** The id that it has, or had, in the list that the content sets. */
      readonly ownId: string | undefined
    }

/** The file, if the caller may read it, it fits the field, and it is as the other members say. */
async function findNamedFile(search: Search, value: JsonValue, pointer: string): Promise<Named> {
  const { context, lookup } = search
  const { field, row } = lookup
  const uploaded = findUploadedFile(value)
  if (uploaded) return { file: uploaded, kept: undefined, ownId: undefined }
  // Other values are faults of the draft.
  const members = (typeof value === 'object' ? value : null) as Readonly<Record<string, JsonValue>> | null
  const place = findPlace(context.model, members?.href)
  if (!place || !members) return missing(pointer)
  const found = await findFile(search, place)
  if (!found) return missing(pointer)
  const { file } = found
  const other = findOther(file, members)
  if (other !== undefined) return { fault: otherMember(pointer, other) }
  const isOwn = row?.[IDENTITY] === found.row[IDENTITY] && found.field === field
  const ownId = isOwn ? found.fileId : undefined
  if (isOwn && found.isPresent) return { file, kept: file, ownId }
  const fault = findMisfit(field, file, pointer)
  if (fault) return { fault }
  return (await context.files.renew(file.digest)) ? { file, kept: undefined, ownId } : missing(pointer)
}

/** The file as the caller may read it: with the right to its item, and where its field is visible. */
async function findFile(
  { context, lookup, loadRow }: Search,
  place: FilePlace | StoredPlace,
): Promise<FoundFile | undefined> {
  if ('key' in place) {
    const { store, caller } = lookup
    return findStoredFile(context.history, { ...place, store, caller })
  }
  const row = await loadRow(place)
  const file = row && findTargetFile(place, row)
  return row && file && { ...place, row, file, isPresent: true }
}

/** The name of a member whose value the file does not have. */
function findOther(file: StoredFile, members: Readonly<Record<string, JsonValue>>): string | undefined {
  const shown: Readonly<Record<string, JsonValue>> = describeStoredFile(file)
  return Object.keys(members).find((name) => name !== 'href' && members[name] !== shown[name])
}

/** The place that a path-absolute reference names; undefined where it can be none of a file. */
function findPlace(model: Model, href: unknown): FilePlace | StoredPlace | undefined {
  if (typeof href !== 'string' || !href.startsWith('/')) return undefined
  const target = parseTarget(href)
  if (target.kind !== 'path' || target.query !== undefined || target.hasDotSegments) return undefined
  const [collection = '', id, ...below] = withoutBase(model.base, target.segments) ?? []
  const resource = model.resources.get(collection)
  if (!resource || !id || target.hasTrailingSlash) return undefined
  const key = findStoredKey(below)
  if (key !== undefined) return { resource, id, key }
  const [name = '', fileId, ...rest] = below
  const field = resource.fieldByName.get(name)
  if (!field || rest.length > 0) return undefined
  const isFile = isFileList(field) ? fileId !== undefined : field.file && fileId === undefined
  return isFile ? { resource, id, field, fileId } : undefined
}

/** The members of one list often name files of one item, which is loaded once. */
function createRowLoader({ store, caller }: NamedFileLookup): Search['loadRow'] {
  const loaded = new Map<string, Promise<Row | undefined>>()
  return ({ resource, id, field }) => {
    const key = JSON.stringify([resource.name, id, field.name])
    const row = loaded.get(key) ?? load(resource, id, field)
    loaded.set(key, row)
    return row
  }

  async function load(resource: ResourceModel, id: string, field: FieldModel): Promise<Row | undefined> {
    const { read, visibility } = rightsOf(resource, caller)
    const visible = visibility.get(field)
    if (!visible) return undefined
    const checks = createRowChecks(resource, [read, visible])
    const row = await findById(store, resource, id, checks.conditions)
    if (!row) return undefined
    const isTrue = checks.readResults(row)
    return isTrue(read) && isTrue(visible) ? row : undefined
  }
}

function missing(pointer: string): { readonly fault: ContentFault } {
  const detail = 'There is no such file, or you may not read it.'
  return { fault: { pointer: `${pointer}/href`, rule: 'reference', detail } }
}

function otherMember(pointer: string, member: string): ContentFault {
  const detail = 'The file at this href has another value; leave it out.'
  return { pointer: `${pointer}/${member}`, rule: 'const', detail }
}

/** The limits of the field apply to copies too. */
function findMisfit(field: FieldModel, { type, size }: StoredFile, pointer: string) {
  const { types = [], max = 0 } = findFileModel(field) ?? {}
  if (!isAllowedType(types, type)) {
    return { pointer, rule: 'type', detail: `The file must be one of: ${types.join(', ')}.` }
  }
  if (size <= max) return undefined
  return { pointer, rule: 'maximum', detail: `The file may have at most ${formatOctetSize(max)}.` }
}
