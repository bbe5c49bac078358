/** Finds the file that a member such as `{ "href": "/tasks/1/cover" }` names: a copy needs the right to read it. */

import { rightsOf } from '../access/rights.ts'
import type { NamedFile, NamedFileLookup } from '../context/file-handler.ts'
import { findUploadedFile } from '../context/uploaded-member.ts'
import { type FieldModel, IDENTITY, type JsonValue, type Model } from '../definition/model.ts'
import { formatOctetSize } from '../definition/octet-size.ts'
import { parseStoredFile, type StoredFile } from '../definition/stored-file.ts'
import type { FileStore } from '../files/file-store.ts'
import { parseTarget } from '../http/request-target.ts'
import { findById } from '../read/find-item.ts'
import { withoutBase } from '../request/resolve-target.ts'
import { fileMember } from '../view/file-member.ts'
import { createRowChecks } from '../view/row-checks.ts'
import { isAllowedType } from './allowed-type.ts'
import { type FilePlace, type FoundFile, findFormerFile, type HistorySource } from './former-file.ts'
import { nextColumn } from './next-file.ts'

export interface NamedFileContext {
  readonly model: Model
  readonly files: FileStore
  readonly history: HistorySource
  readonly now: number
}

/** The file, if the caller may read it, it fits the field, and it is as the other members say. */
export async function findNamedFile(context: NamedFileContext, lookup: NamedFileLookup): Promise<NamedFile> {
  const { field, value, row } = lookup
  const uploaded = findUploadedFile(value)
  if (uploaded) return { stored: nextColumn(uploaded, { row, field, now: context.now }) }
  // Other values are faults of the draft.
  const members = (typeof value === 'object' ? value : null) as Readonly<Record<string, JsonValue>> | null
  const place = findPlace(context.model, members?.href)
  if (!place || !members) return missing(field)
  const present = await loadFile(lookup, place)
  const isPresent = present !== undefined && findOther(place, present, members) === undefined
  const found = isPresent ? present : ((await findFormer(context, lookup, place, members)) ?? present)
  if (!found) return missing(field)
  const other = findOther(place, found, members)
  if (other !== undefined) return { fault: otherMember(field, other) }
  const isKept = isPresent && row?.[IDENTITY] === found.row[IDENTITY] && place.field === field
  if (isKept) return { stored: found.text }
  const fault = findMisfit(field, found.file)
  if (fault) return { fault }
  if (!(await context.files.renew(found.file.digest))) return missing(field)
  return { stored: nextColumn(found.file, { row, field, now: context.now }) }
}

/** A digest that the present file does not have may be that of a former one. */
async function findFormer(
  { history }: NamedFileContext,
  lookup: NamedFileLookup,
  place: FilePlace,
  { digest }: Readonly<Record<string, JsonValue>>,
): Promise<FoundFile | undefined> {
  return digest === undefined ? undefined : findFormerFile(history, lookup, place, digest)
}

/** The name of a member whose value the file does not have. */
function findOther(
  { resource, field }: FilePlace,
  { row, text }: FoundFile,
  members: Readonly<Record<string, JsonValue>>,
): string | undefined {
  const shown: Readonly<Record<string, JsonValue>> = fileMember(resource, field, row, text)
  return Object.keys(members).find((name) => name !== 'href' && members[name] !== shown[name])
}

/** The place that a path-absolute reference names; undefined where it can be none of a file. */
function findPlace(model: Model, href: unknown): FilePlace | undefined {
  if (typeof href !== 'string' || !href.startsWith('/')) return undefined
  const target = parseTarget(href)
  if (target.kind !== 'path' || target.query !== undefined || target.hasDotSegments) return undefined
  const [collection = '', id, name = '', ...rest] = withoutBase(model.base, target.segments) ?? []
  const resource = model.resources.get(collection)
  const field = resource?.fieldByName.get(name)
  if (!resource || !id || !field?.file || rest.length > 0 || target.hasTrailingSlash) return undefined
  return { resource, id, field }
}

/** The file as the caller may read it: with the right to its item, and where its field is visible. */
async function loadFile(
  { store, caller }: NamedFileLookup,
  { resource, id, field }: FilePlace,
): Promise<FoundFile | undefined> {
  const { read, visibility } = rightsOf(resource, caller)
  const visible = visibility.get(field)
  if (!visible) return undefined
  const checks = createRowChecks(resource, [read, visible])
  const row = await findById(store, resource, id, checks.conditions)
  if (!row) return undefined
  const isTrue = checks.readResults(row)
  const text = row[field.index]
  const file = parseStoredFile(text)
  return file && isTrue(read) && isTrue(visible) ? { row, text: String(text), file } : undefined
}

function missing({ name }: FieldModel): NamedFile {
  const detail = 'There is no such file, or you may not read it.'
  return { fault: { pointer: `/${name}/href`, rule: 'reference', detail } }
}

function otherMember({ name }: FieldModel, member: string) {
  const detail = 'The file at this href has another value; leave it out.'
  return { pointer: `/${name}/${member}`, rule: 'const', detail }
}

/** The limits of the field apply to copies too. */
function findMisfit(field: FieldModel, { type, size }: StoredFile) {
  const { types = [], max = 0 } = field.file ?? {}
  const pointer = `/${field.name}`
  if (!isAllowedType(types, type)) {
    return { pointer, rule: 'type', detail: `The file must be one of: ${types.join(', ')}.` }
  }
  if (size <= max) return undefined
  return { pointer, rule: 'maximum', detail: `The file may have at most ${formatOctetSize(max)}.` }
}
